/** The one call we make; the package ships no types. */
declare module "@babel/core" {
  export function transformAsync(
    source: string,
    options: Record<string, unknown>,
  ): Promise<{ code?: string | null } | null>;
}
