import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config.ts";
import { readOrCreate } from "./nodes/node.ts";
import { OperatorError } from "./runtime/operator-error.ts";
import { isAbsent } from "./storage/disk/fs-failure.ts";

const FILE = "auth-secret";
const MIN_LENGTH = 32;

/** The file of the secret is shorter than the program writes it. */
export class SecretIsCut extends OperatorError {
  override name = "SecretIsCut";
  constructor(path: string) {
    super(
      `${path} is empty or cut: put back that of a backup (states/…/secrets/${FILE}), or delete it to get a new one.`,
    );
  }
}

/**
 * The secret that everything sealed depends on: AUTH_SECRET, or the one of this DATA_DIR.
 * @throws {SecretIsCut} since a new one would open nothing that is sealed in the database
 */
export async function readAuthSecret({
  authSecret,
  dataDir,
}: Pick<Config, "authSecret" | "dataDir">): Promise<string> {
  if (authSecret !== undefined) return authSecret;
  const path = join(dataDir, FILE);
  const found = await readFile(path, "utf8").catch((error) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
  if (found === undefined) return await readOrCreate(path, randomSecret);
  const secret = found.trim();
  if (secret.length < MIN_LENGTH) throw new SecretIsCut(path);
  return secret;
}

function randomSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(48))).toString("base64url");
}
