import { readFile } from "node:fs/promises";
import { CompactSign, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import * as z from "zod/mini";
import type { PublicKey } from "../../../shared/api/receipts.ts";
import type { Db, Tx } from "../../db/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import { describeError, type Logger } from "../../runtime/log.ts";
import type { Seal } from "../../runtime/seal.ts";
import { replaceFile } from "../../storage/disk/durable-file.ts";
import { isAbsent } from "../../storage/disk/fs-failure.ts";
import {
  findSigningKey,
  listReceiptKeys,
  lockReceiptKeys,
  putSigningKey,
  retireSigningKey,
} from "./receipt-keys.repo.ts";
import type { ReceiptKeyRow } from "./receipts.table.ts";

/** The keys that sign receipts: one that all nodes use, and its predecessors, which only verify. */
export interface ReceiptKeys {
  /** A compact JWS (EdDSA) of the payload, with the key's `kid` in its header. */
  sign(payload: Uint8Array): Promise<string>;
  /** The public keys, oldest first. */
  published(): Promise<PublicKey[]>;
  /** Signs with a new key from now on, and returns its `kid`. What was signed before still verifies. */
  rotate(): Promise<string>;
}

export interface ReceiptKeysOptions {
  db: Db;
  clock: Clock;
  log: Pick<Logger, "warn">;
  /** Seals the private key in the database. */
  seal: Seal;
  /** The copy of the key in DATA_DIR: it outlives a lost database. */
  path: string;
  /** How long after a failure the copy is made again, such as on a disk that was full. */
  copyAgainMs?: number;
}

const COPY_AGAIN_MS = 60_000;

const privateKeySchema = z.object({ x: z.string(), d: z.string() });
type KeyPair = z.infer<typeof privateKeySchema> & { kid: string };

/** The file of DATA_DIR with a copy of the key that signs. */
export const RECEIPT_KEY = "receipt-key";

/** The purpose of the seal on the key in the database. */
export const RECEIPTS_SEAL = "receipts";

const KEY_TYPE = { kty: "OKP", crv: "Ed25519" } as const;

export function createReceiptKeys({
  db,
  clock,
  log,
  seal,
  path,
  copyAgainMs = COPY_AGAIN_MS,
}: ReceiptKeysOptions): ReceiptKeys {
  let copied: string | undefined;
  /** By the clock of `performance`. */
  let copiesFrom = 0;

  /** The key that signs. Makes one where there is none, and where AUTH_SECRET has changed and no copy is left. */
  async function current(): Promise<KeyPair> {
    const row = await findSigningKey(db);
    const pair = (row && opened(row)) ?? (await db.transaction(establish));
    if (copied !== pair.kid && performance.now() >= copiesFrom) await copy(pair);
    return pair;
  }

  function opened({ kid, x, sealedPrivateKey }: ReceiptKeyRow): KeyPair | undefined {
    try {
      return { kid, ...privateKeySchema.parse({ x, d: seal.open(sealedPrivateKey ?? "") }) };
    } catch {
      return undefined;
    }
  }

  async function establish(tx: Tx): Promise<KeyPair> {
    await lockReceiptKeys(tx);
    const row = await findSigningKey(tx);
    const known = row && opened(row);
    if (known) return known;
    const kept = await readCopy(path);
    // A copy of another key than the one in force is of an earlier key.
    const isCurrent = kept !== undefined && (!row || row.kid === kept.kid);
    return await putKey(tx, row, isCurrent ? kept : await newKeyPair());
  }

  async function putKey(tx: Tx, row: ReceiptKeyRow | undefined, pair: KeyPair): Promise<KeyPair> {
    const { kid, x, d } = pair;
    const now = clock.now();
    if (row && row.kid !== kid) await retireSigningKey(tx, now, row.kid);
    await putSigningKey(tx, { kid, x, sealedPrivateKey: seal.close(d), createdAt: now, retiredAt: null });
    return pair;
  }

  async function copy(pair: KeyPair): Promise<void> {
    copied = pair.kid;
    try {
      await replaceFile(path, `${JSON.stringify({ ...KEY_TYPE, ...pair })}\n`);
    } catch (error) {
      // The key itself is in the database, so receipts go on being signed.
      copied = undefined;
      copiesFrom = performance.now() + copyAgainMs;
      log.warn("receipt_key.not_copied", describeError(error));
    }
  }

  return {
    async sign(payload) {
      const { kid, x, d } = await current();
      const key = await importJWK({ ...KEY_TYPE, x, d }, "EdDSA");
      return await new CompactSign(payload).setProtectedHeader({ alg: "EdDSA", kid }).sign(key);
    },
    async published() {
      await current();
      const rows = await listReceiptKeys(db);
      return rows.map(({ kid, x }) => ({ ...KEY_TYPE, x, kid, alg: "EdDSA", use: "sig" }));
    },
    async rotate() {
      const pair = await newKeyPair();
      await db.transaction(async (tx) => {
        await lockReceiptKeys(tx);
        await putKey(tx, await findSigningKey(tx), pair);
      });
      await copy(pair);
      return pair.kid;
    },
  };
}

async function newKeyPair(): Promise<KeyPair> {
  const { privateKey } = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
  return await keyPairOf(await exportJWK(privateKey));
}

async function keyPairOf(jwk: JWK): Promise<KeyPair> {
  const { x, d } = privateKeySchema.parse(jwk);
  return { x, d, kid: await calculateJwkThumbprint({ ...KEY_TYPE, x }) };
}

/** @throws {SyntaxError} if the file is no key: nobody's key is replaced because of a damaged file */
async function readCopy(path: string): Promise<KeyPair | undefined> {
  const text = await readFile(path, "utf8").catch((error) => {
    if (isAbsent(error)) return "";
    throw error;
  });
  return text.trim() === "" ? undefined : await keyPairOf(JSON.parse(text) as JWK);
}
