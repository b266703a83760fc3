/** Modules in TypeScript are compiled before a browser gets them. */
export async function prepareForTypeScript(_beforeLoading: (call: (url: string) => unknown) => void): Promise<void> {}

/** Whether the URL is that of a file in TypeScript. */
export function isTypeScript(url: string): boolean {
  return /\.[cm]?tsx?(?:$|[?#])/.test(url)
}
