import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { trustPeers } from "./http/trusted-peers.ts";

export interface S3Config {
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** How Pix payments are received: on the merchant's own key, or through a PSP that implements the Central Bank's API Pix. */
export type PixConfig =
  | { provider: "local"; key: string; merchantName: string; merchantCity: string }
  | ({ provider: "bacen"; merchantName: string; merchantCity: string } & BacenPixConfig);

export interface BacenPixConfig {
  /** The merchant's chave Pix. */
  key: string;
  /** Base address of the PSP's API Pix, without a trailing slash. */
  apiUrl: string;
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  /** PEM files for mutual TLS. */
  certFile: string;
  certKeyFile: string;
  /** PEM file of the authority that signed the PSP's certificate; if unset, the system's authorities apply. */
  caFile: string | undefined;
  /** Part of the webhook's address. */
  webhookSecret: string;
}

export interface DimseConfig {
  host: string;
  port: number;
  /** PEM files: with them the port speaks TLS alone. */
  tls: { certFile: string; keyFile: string } | undefined;
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
  /** When an upload is acknowledged: once durable on this node's disk, or once verified in the store. */
  ack: "disk" | "store";
  cacheMaxBytes: number;
  maxUploadBytes: number;
  /** Every object of the archive is read again within this many days; 0: never. */
  scrubDays: number;
  /** Whether series get a lossless copy that is quicker to view. */
  hasDerivatives: boolean;
  viewerOrigin: string | undefined;
  /** Where DICOM senders connect; unset: nowhere. */
  dimse: DimseConfig | undefined;
  /** Bearer token of `GET /metrics`; if unset, the route does not exist. */
  metricsToken: string | undefined;
  /** Undefined if plans cannot be paid for here. */
  pix: PixConfig | undefined;
  /** Peers (addresses and CIDR ranges) whose X-Forwarded-For is believed. */
  trustProxy: string[];
  logLevel: "debug" | "info" | "warn" | "error";
}

/** All invalid values of the environment at once, one sentence each. */
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

  peers(name: string): string[] {
    const entries = (this.text(name) ?? "").split(/[\s,]+/).filter(Boolean);
    return entries.filter((entry) => {
      try {
        trustPeers([entry]);
        return true;
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        this.problems.push(
          `${name} must be addresses or ranges such as 10.0.0.0/8 and fd00::/8; "${entry}" is neither`,
        );
        return false;
      }
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

function readDimse(env: Reader, host: string): DimseConfig | undefined {
  const certFile = env.text("DIMSE_TLS_CERT");
  const keyFile = env.text("DIMSE_TLS_KEY");
  if ((certFile === undefined) !== (keyFile === undefined))
    env.problems.push("DIMSE_TLS_CERT and DIMSE_TLS_KEY must be set together");
  for (const file of [certFile, keyFile])
    if (file !== undefined && !existsSync(file)) env.problems.push(`there is no file ${file}`);
  const dimseHost = env.text("DIMSE_HOST") ?? host;
  if (env.text("DIMSE_PORT") === undefined) return undefined;
  const port = env.integer("DIMSE_PORT", 0, 0, 65535);
  return { host: dimseHost, port, tls: certFile && keyFile ? { certFile, keyFile } : undefined };
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

function readPix(env: Reader): PixConfig | undefined {
  const provider = env.oneOf("PIX_PROVIDER", ["local", "bacen"], "local");
  const merchant = {
    merchantName: env.text("PIX_MERCHANT_NAME") ?? "",
    merchantCity: env.text("PIX_MERCHANT_CITY") ?? "",
  };
  const apiUrl = env.url("PIX_API_URL", ["https:"])?.replace(/\/+$/, "");
  const tokenUrl = env.url("PIX_TOKEN_URL", ["https:"]);
  if (provider === "local") {
    const values = env.family(["PIX_KEY", "PIX_MERCHANT_NAME", "PIX_MERCHANT_CITY"]);
    return values && { provider, key: values.PIX_KEY ?? "", ...merchant };
  }
  const names = ["PIX_KEY", "PIX_MERCHANT_NAME", "PIX_MERCHANT_CITY", "PIX_API_URL", "PIX_CLIENT_ID"];
  const secrets = ["PIX_CLIENT_SECRET", "PIX_CERT", "PIX_CERT_KEY", "PIX_WEBHOOK_SECRET"];
  const values = env.family([...names, ...secrets]);
  if (!values && env.text("PIX_KEY") === undefined)
    env.problems.push(`PIX_PROVIDER is bacen: ${[...names, ...secrets].join(", ")} are required`);
  const webhookSecret = env.text("PIX_WEBHOOK_SECRET") ?? "";
  if (values && !/^[A-Za-z0-9_-]{32,}$/.test(webhookSecret))
    env.problems.push("PIX_WEBHOOK_SECRET must be at least 32 letters, digits, - or _");
  if (!values || !apiUrl) return undefined;
  return {
    provider,
    ...merchant,
    key: values.PIX_KEY ?? "",
    apiUrl,
    tokenUrl: tokenUrl ?? `${new URL(apiUrl).origin}/oauth/token`,
    clientId: values.PIX_CLIENT_ID ?? "",
    clientSecret: values.PIX_CLIENT_SECRET ?? "",
    certFile: resolve(values.PIX_CERT ?? ""),
    certKeyFile: resolve(values.PIX_CERT_KEY ?? ""),
    caFile: env.text("PIX_CA"),
    webhookSecret,
  };
}

const GIB = 1024 ** 3;

/** @throws {ConfigError} that names every invalid value */
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
    scrubDays: env.integer("SCRUB_DAYS", 30, 0, 3650),
    hasDerivatives: env.oneOf("DERIVATIVES", ["on", "off"], "on") === "on",
    viewerOrigin: env.origin("VIEWER_ORIGIN"),
    metricsToken: env.headerToken("METRICS_TOKEN"),
    dimse: readDimse(env, host),
    pix: readPix(env),
    trustProxy: env.peers("TRUST_PROXY"),
    logLevel: env.oneOf("LOG_LEVEL", ["info", "debug", "warn", "error"], "info"),
  };
  // An origin that the app shares would isolate nothing: the viewer's page is then sandboxed, as without one.
  if (config.viewerOrigin === config.publicUrl) config.viewerOrigin = undefined;
  if (env.problems.length > 0) throw new ConfigError(env.problems);
  return config;
}
