/** poolifier-web-worker takes a runtime for a browser if it has a `window`, also in workers, which have none. */
globalThis.window = globalThis
