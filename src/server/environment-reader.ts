import { statSync } from "node:fs";
import { isIP } from "node:net";
import { resolve } from "node:path";
import { isPeer } from "./http/trusted-peers.ts";

export type Environment = Record<string, string | undefined>;

/** Reads variables of the environment and collects a sentence for each value that is not valid. */
export class EnvironmentReader {
  readonly problems: string[] = [];
  constructor(private readonly env: Environment) {}

  text(name: string): string | undefined {
    const value = this.env[name]?.trim();
    return value === "" ? undefined : value;
  }

  oneOf<T extends string>(name: string, values: readonly T[], fallback: T): T {
    const value = this.text(name) ?? fallback;
    const found = values.find((candidate) => candidate === value);
    if (found === undefined)
      this.problems.push(`${name} must be one of ${values.join(", ")}; it is "${value}"`);
    return found ?? fallback;
  }

  integer(name: string, fallback: number, minimum: number, maximum: number): number {
    const value = this.text(name);
    if (value === undefined) return fallback;
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (Number.isSafeInteger(number) && number >= minimum && number <= maximum) return number;
    this.problems.push(`${name} must be a whole number from ${minimum} to ${maximum}; it is "${value}"`);
    return fallback;
  }

  /** Reads a value that a header can contain unescaped. */
  headerToken(name: string): string | undefined {
    const value = this.text(name);
    if (value === undefined || /^[!-~]{1,1024}$/.test(value)) return value;
    this.problems.push(`${name} must be printable ASCII without spaces, 1024 characters at most`);
    return undefined;
  }

  origin(name: string): string | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const url = URL.parse(value);
    if (url && /^https?:$/.test(url.protocol) && url.pathname === "/" && !url.search && !url.hash)
      return url.origin;
    this.problems.push(`${name} must be an origin such as https://exames.example.com; it is "${value}"`);
    return undefined;
  }

  url(name: string, protocols: string[]): string | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const url = URL.parse(value);
    // A socket of PostgreSQL has its folder as a parameter.
    const hasHost = !!url && (url.hostname !== "" || url.searchParams.has("host"));
    if (hasHost && protocols.includes(url.protocol)) return value;
    this.problems.push(
      `${name} must be an address that starts with ${protocols.map((p) => `${p}//`).join(" or ")}`,
    );
    return undefined;
  }

  /** The address of a database. Its driver can't read a bare % in the account or the password; other programs take it as it is. */
  databaseUrl(name: string): string | undefined {
    const value = this.url(name, ["postgres:", "postgresql:"]);
    if (value === undefined) return undefined;
    const { username, password } = new URL(value);
    if (isDecodable(username) && isDecodable(password)) return value;
    this.problems.push(`${name} has a % that begins no code: write %25 for it, in a password too`);
    return undefined;
  }

  host(name: string, fallback: string): string {
    const value = this.text(name) ?? fallback;
    if (isIP(value) === 0 && !/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(value))
      this.problems.push(`${name} must be an address or a host name; it is "${value}"`);
    return value;
  }

  /** An address as mails have it: `Exameteca <no-reply@example.com>`, or without a name. */
  sender(name: string): string | undefined {
    const value = this.text(name);
    if (value === undefined || /^([^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/.test(value))
      return value;
    this.problems.push(`${name} must be an e-mail address, alone or as "Name <address>"; it is "${value}"`);
    return undefined;
  }

  /** The path of a file that must exist. */
  file(name: string): string | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!statSync(value, { throwIfNoEntry: false })?.isFile())
      this.problems.push(`${name} must name a file; there is none at ${value}`);
    return resolve(value);
  }

  folder(name: string, fallback: string): string {
    const path = resolve(this.text(name) ?? fallback);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && !found.isDirectory()) this.problems.push(`${name} must be a folder; ${path} is a file`);
    return path;
  }

  email(name: string): string | undefined {
    const value = this.text(name);
    if (value === undefined || /^[^\s@]+@[^\s@]+$/.test(value)) return value;
    this.problems.push(`${name} must be an e-mail address; it is "${value}"`);
    return undefined;
  }

  peers(name: string): string[] {
    const entries = (this.text(name) ?? "").split(/[\s,]+/).filter(Boolean);
    return entries.filter((entry) => {
      if (isPeer(entry)) return true;
      this.problems.push(
        `${name} must be addresses or ranges such as 10.0.0.0/8 and fd00::/8; "${entry}" is neither`,
      );
      return false;
    });
  }

  /** Either all or none of a family of variables must be set. */
  family(names: string[]): Record<string, string> | undefined {
    const given = names.filter((name) => this.text(name) !== undefined);
    if (given.length === 0) return undefined;
    const missing = names.filter((name) => !given.includes(name));
    if (missing.length === 0) return Object.fromEntries(names.map((name) => [name, this.text(name) ?? ""]));
    this.problems.push(`${given.join(", ")} set without ${missing.join(", ")}`);
    return undefined;
  }
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}
