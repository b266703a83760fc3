/** Stands in for `node:v8` in browsers, which get their flags when they are started: tools/runtimes/browser/browsers.ts. */
export function setFlagsFromString(_flags: string): void {}
