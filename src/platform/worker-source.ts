/**
 * The program of a worker thread as text, for a corepool that is part of a bundle and has no files. The build puts the text
 * into the compiled form of this file (`npm run build`, tools/worker-source.ts); there is none before that.
 */
export const WORKER_SOURCE: string | undefined = undefined as string | undefined
