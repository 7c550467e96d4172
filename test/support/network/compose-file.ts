import { readFileSync } from "node:fs";

/** What a test needs of a service in a compose file. */
export interface ComposeService {
  environment: Record<string, string>;
}

/**
 * The services of a compose file, with `settings` in place of its variables, as `docker compose --env-file` does it.
 * @throws for a variable that the file demands (`${NAME:?}`) and `settings` has not
 */
export function readComposeFile(
  path: string,
  settings: Readonly<Record<string, string>>,
): Record<string, ComposeService> {
  const file = JSON.stringify(Bun.YAML.parse(readFileSync(path, "utf8")), (_, value) =>
    typeof value === "string" ? fillIn(value) : value,
  );
  return (JSON.parse(file) as { services: Record<string, ComposeService> }).services;

  function fillIn(text: string): string {
    return text.replace(
      /\$\{(\w+)(?::([?-])([^}]*))?\}/g,
      (_, name: string, operator: string | undefined, rest: string | undefined) => {
        const value = settings[name] ?? "";
        if (value === "" && operator === "?") throw new Error(`${path} demands ${name}`);
        return value === "" && operator === "-" ? (rest ?? "") : value;
      },
    );
  }
}

/** A file of settings (`NAME=value`), as `--env-file` reads it. */
export function readSettings(path: string): Record<string, string> {
  const lines = readFileSync(path, "utf8").matchAll(/^(\w+)=(.*)$/gm);
  return Object.fromEntries(Array.from(lines, ([, name = "", value = ""]) => [name, value]));
}
