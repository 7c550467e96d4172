import { readFileSync } from "node:fs";

/** Lines of `test/fixtures/syntax/<name>.txt`, empty ones included, as they are. */
export function syntaxFixture(name: string): string[] {
  const text = readFileSync(new URL(`../../fixtures/syntax/${name}.txt`, import.meta.url), "utf8");
  return text.replace(/\n$/, "").split("\n");
}

/** Lines of two columns: the input and the expected output. */
export function syntaxPairs(name: string): [input: string, output: string][] {
  return syntaxFixture(name).map((line) => {
    const [input = "", output = ""] = line.split(" ");
    return [input, output];
  });
}
