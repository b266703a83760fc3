/** The URL by which threads find the function that runs a fork. In a file of its own, as every thread needs it. */
export const SCOPE_MODULE = "corepool:scope"
