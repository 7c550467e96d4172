import { resolve } from "node:path";

export interface S3Config {
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
}

export interface Config {
  host: string;
  port: number;
  dataDir: string;
  /** Origin without a trailing slash. Links in mails and the host check use it, never a Host header. */
  publicUrl: string;
  databaseUrl: string | undefined;
  authSecret: string | undefined;
  adminEmail: string | undefined;
  adminPassword: string | undefined;
  productName: string;
  registration: "open" | "approval" | "closed";
  trialDays: number;
  twoFactor: "auto" | "required" | "off";
  smtpUrl: string | undefined;
  mailFrom: string | undefined;
  supportEmail: string | undefined;
  s3: S3Config | undefined;
  /** When an upload is answered: once durable on this node's disk, or once verified in the store. */
  ack: "disk" | "store";
  cacheMaxBytes: number;
  maxUploadBytes: number;
  viewerOrigin: string | undefined;
  metricsToken: string | undefined;
  /** Peers (addresses) whose X-Forwarded-For is believed. */
  trustProxy: string[];
  logLevel: "debug" | "info" | "warn" | "error";
}

/** Every bad value of the environment at once, one sentence each. */
export class ConfigError extends Error {
  override name = "ConfigError";
  constructor(readonly problems: string[]) {
    super(problems.join("\n"));
  }
}

type Environment = Record<string, string | undefined>;

class Reader {
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
    const number = Number(value);
    if (Number.isSafeInteger(number) && number >= minimum && number <= maximum) return number;
    this.problems.push(`${name} must be a whole number from ${minimum} to ${maximum}; it is "${value}"`);
    return fallback;
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
    if (protocols.includes(URL.parse(value)?.protocol ?? "")) return value;
    this.problems.push(
      `${name} must be an address that starts with ${protocols.map((p) => `${p}//`).join(" or ")}`,
    );
    return undefined;
  }

  email(name: string): string | undefined {
    const value = this.text(name);
    if (value === undefined || /^[^\s@]+@[^\s@]+$/.test(value)) return value;
    this.problems.push(`${name} must be an e-mail address; it is "${value}"`);
    return undefined;
  }

  /** All or none of a family of variables. */
  family(names: string[]): Record<string, string> | undefined {
    const given = names.filter((name) => this.text(name) !== undefined);
    if (given.length === 0) return undefined;
    const missing = names.filter((name) => !given.includes(name));
    if (missing.length === 0) return Object.fromEntries(names.map((name) => [name, this.text(name) ?? ""]));
    this.problems.push(`${given.join(", ")} set without ${missing.join(", ")}`);
    return undefined;
  }
}

function readS3(env: Reader): S3Config | undefined {
  const values = env.family([
    "S3_ENDPOINT",
    "S3_REGION",
    "S3_BUCKET",
    "S3_ACCESS_KEY_ID",
    "S3_SECRET_ACCESS_KEY",
  ]);
  const endpoint = env.url("S3_ENDPOINT", ["http:", "https:"]);
  if (!values || !endpoint) return undefined;
  return {
    endpoint: endpoint.replace(/\/+$/, ""),
    region: values.S3_REGION ?? "",
    bucket: values.S3_BUCKET ?? "",
    accessKeyId: values.S3_ACCESS_KEY_ID ?? "",
    secretAccessKey: values.S3_SECRET_ACCESS_KEY ?? "",
  };
}

const GIB = 1024 ** 3;

/** @throws {ConfigError} naming every bad value */
export function readConfig(environment: Environment): Config {
  const env = new Reader(environment);
  const host = env.text("HOST") ?? "127.0.0.1";
  const port = env.integer("PORT", 3000, 0, 65535);
  const databaseUrl = env.url("DATABASE_URL", ["postgres:", "postgresql:"]);
  const s3 = readS3(env);
  const authSecret = env.text("AUTH_SECRET");
  const shared = databaseUrl !== undefined && s3 !== undefined;
  if (authSecret !== undefined && authSecret.length < 32) {
    env.problems.push("AUTH_SECRET must have at least 32 characters");
  }
  if (shared && authSecret === undefined) {
    env.problems.push("AUTH_SECRET is required when DATABASE_URL and S3_* are set: all nodes must share it");
  }
  const adminPassword = env.text("ADMIN_PASSWORD");
  if (adminPassword !== undefined && adminPassword.length < 6) {
    env.problems.push("ADMIN_PASSWORD must have at least 6 characters");
  }
  const config: Config = {
    host,
    port,
    dataDir: resolve(env.text("DATA_DIR") ?? "data"),
    publicUrl: env.origin("PUBLIC_URL") ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    databaseUrl,
    authSecret,
    adminEmail: env.email("ADMIN_EMAIL"),
    adminPassword,
    productName: env.text("PRODUCT_NAME") ?? "Exameteca",
    registration: env.oneOf("REGISTRATION", ["open", "approval", "closed"], "open"),
    trialDays: env.integer("TRIAL_DAYS", 14, 0, 3650),
    twoFactor: env.oneOf("TWO_FACTOR", ["auto", "required", "off"], "auto"),
    smtpUrl: env.url("SMTP_URL", ["smtp:", "smtps:"]),
    mailFrom: env.text("MAIL_FROM"),
    supportEmail: env.email("SUPPORT_EMAIL"),
    s3,
    ack: env.oneOf("ACK", ["disk", "store"], shared ? "store" : "disk"),
    cacheMaxBytes: env.integer("CACHE_MAX_BYTES", 10 * GIB, 0, Number.MAX_SAFE_INTEGER),
    maxUploadBytes: env.integer("MAX_UPLOAD_BYTES", 2 * GIB, 1024, 64 * GIB),
    viewerOrigin: env.origin("VIEWER_ORIGIN"),
    metricsToken: env.text("METRICS_TOKEN"),
    trustProxy: (env.text("TRUST_PROXY") ?? "").split(/[\s,]+/).filter(Boolean),
    logLevel: env.oneOf("LOG_LEVEL", ["info", "debug", "warn", "error"], "info"),
  };
  if (env.problems.length > 0) throw new ConfigError(env.problems);
  return config;
}
