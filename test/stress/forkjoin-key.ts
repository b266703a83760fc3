/** Under which name workers inherit the counts of the nodes. */
export const KEY = "corepool fork join nodes"
