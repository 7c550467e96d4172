import { existsSync } from "node:fs";
import { join } from "node:path";
import { GIB } from "../shared/units.ts";
import { type Environment, EnvironmentReader } from "./environment-reader.ts";

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

function readDimse(env: EnvironmentReader, host: string, httpPort: number): DimseConfig | undefined {
  const certFile = env.file("DIMSE_TLS_CERT");
  const keyFile = env.file("DIMSE_TLS_KEY");
  if ((certFile === undefined) !== (keyFile === undefined))
    env.problems.push("DIMSE_TLS_CERT and DIMSE_TLS_KEY must be set together");
  const dimseHost = env.host("DIMSE_HOST", host);
  if (env.text("DIMSE_PORT") === undefined) return undefined;
  const port = env.integer("DIMSE_PORT", 0, 0, 65535);
  if (port !== 0 && port === httpPort && dimseHost === host)
    env.problems.push(`DIMSE_PORT must be another one than PORT; both are ${port}`);
  return { host: dimseHost, port, tls: certFile && keyFile ? { certFile, keyFile } : undefined };
}

function readS3(env: EnvironmentReader): S3Config | undefined {
  const values = env.family([
    "S3_ENDPOINT",
    "S3_REGION",
    "S3_BUCKET",
    "S3_ACCESS_KEY_ID",
    "S3_SECRET_ACCESS_KEY",
  ]);
  const endpoint = env.url("S3_ENDPOINT", ["http:", "https:"]);
  if (values && !/^[A-Za-z0-9][A-Za-z0-9._-]{1,253}$/.test(values.S3_BUCKET ?? ""))
    env.problems.push("S3_BUCKET must be the name of a bucket: letters, digits, dots and hyphens");
  if (!values || !endpoint) return undefined;
  return {
    endpoint: endpoint.replace(/\/+$/, ""),
    region: values.S3_REGION ?? "",
    bucket: values.S3_BUCKET ?? "",
    accessKeyId: values.S3_ACCESS_KEY_ID ?? "",
    secretAccessKey: values.S3_SECRET_ACCESS_KEY ?? "",
  };
}

function readPix(env: EnvironmentReader): PixConfig | undefined {
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
  const [certFile = "", certKeyFile = "", caFile] = ["PIX_CERT", "PIX_CERT_KEY", "PIX_CA"].map((name) =>
    env.file(name),
  );
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
    certFile,
    certKeyFile,
    caFile,
    webhookSecret,
  };
}

export const SMTP_WITHOUT_ADMIN =
  "SMTP_URL without ADMIN_EMAIL: the first admin needs an address that gets mail";

/**
 * @param makesAdmin whether the program makes the first admin in a new DATA_DIR
 * @throws {ConfigError} that names every invalid value
 */
export function readConfig(environment: Environment, { makesAdmin = false } = {}): Config {
  const env = new EnvironmentReader(environment);
  const host = env.host("HOST", "127.0.0.1");
  const port = env.integer("PORT", 3000, 0, 65535);
  const databaseUrl = env.databaseUrl("DATABASE_URL");
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
    dataDir: env.folder("DATA_DIR", "data"),
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
    mailFrom: env.sender("MAIL_FROM"),
    supportEmail: env.email("SUPPORT_EMAIL"),
    s3,
    ack: env.oneOf("ACK", ["disk", "store"], shared ? "store" : "disk"),
    cacheMaxBytes: env.integer("CACHE_MAX_BYTES", 10 * GIB, 0, Number.MAX_SAFE_INTEGER),
    maxUploadBytes: env.integer("MAX_UPLOAD_BYTES", 2 * GIB, 1024, 64 * GIB),
    scrubDays: env.integer("SCRUB_DAYS", 30, 0, 3650),
    hasDerivatives: env.oneOf("DERIVATIVES", ["on", "off"], "on") === "on",
    viewerOrigin: env.origin("VIEWER_ORIGIN"),
    metricsToken: env.headerToken("METRICS_TOKEN"),
    dimse: readDimse(env, host, port),
    pix: readPix(env),
    trustProxy: env.peers("TRUST_PROXY"),
    logLevel: env.oneOf("LOG_LEVEL", ["info", "debug", "warn", "error"], "info"),
  };
  const isNew = databaseUrl === undefined && !existsSync(join(config.dataDir, "postgres", "data"));
  if (makesAdmin && isNew && config.smtpUrl && !config.adminEmail) env.problems.push(SMTP_WITHOUT_ADMIN);
  // An origin that the app shares would isolate nothing: the viewer's page is then sandboxed, as without one.
  if (config.viewerOrigin === config.publicUrl) config.viewerOrigin = undefined;
  if (env.problems.length > 0) throw new ConfigError(env.problems);
  return config;
}
