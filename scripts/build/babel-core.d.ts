/** What we use of it; the package ships no types. */
declare module "@babel/core" {
  export function transformAsync(
    source: string,
    options: Record<string, unknown>,
  ): Promise<{ code?: string | null } | null>;

  /** A part of a syntax tree (ESTree, as far as we look). */
  export interface Node {
    type: string;
    name?: string;
  }
  export interface CallPath {
    node: { callee: Node; arguments: Node[] };
    replaceWith(node: Node): void;
  }
}
