import { expect, test } from "bun:test";
import { DrizzleQueryError } from "drizzle-orm/errors";
import postgres from "postgres";
import { explainFailure } from "../../../src/server/cli/explain-failure.ts";
import { StoreRefuses } from "../../../src/server/storage/object-store.ts";
import { S3ConnectionLost, S3Failure } from "../../../src/server/storage/s3/s3-failure.ts";

test("a command that finds the database's disk full says so, not that the address is wrong", () => {
  const full = Object.assign(Object.create(postgres.PostgresError.prototype), { code: "53100" });
  expect(explainFailure(new DrizzleQueryError("insert", [], full))).toBe(
    "The disk of the database is full (53100): give it room and run the command again.",
  );
});

test("a command that the store refuses says in the store's word why, not that it can't be reached", () => {
  expect(explainFailure(new StoreRefuses("full", { cause: new S3Failure(403, "QuotaExceeded") }))).toBe(
    "The archive store is full, or a quota is used up (QuotaExceeded): give it room and run the command again.",
  );
  expect(explainFailure(new StoreRefuses("read_only", { cause: new S3Failure(403, "AccessDenied") }))).toBe(
    "The archive store takes nothing from us (AccessDenied): see whether the key may write, and the bucket's quota.",
  );
});

test("a command that may open too few files says which limit to raise", () => {
  const failure = Object.assign(new Error("EMFILE"), { code: "EMFILE", syscall: "open", path: "/data/a" });
  expect(explainFailure(failure)).toBe(
    "Too many files would be open at once (EMFILE): let the program have 1024 or more (ulimit -n, LimitNOFILE of systemd).",
  );
});

test("a command that does not trust a certificate says where to name its authority", () => {
  const failure = Object.assign(new Error("self-signed"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  for (const told of [failure, new S3ConnectionLost("S3 connection lost", { cause: failure })]) {
    expect(explainFailure(told)).toBe(
      "The certificate of the other side is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT): name the file of its authority in NODE_EXTRA_CA_CERTS.",
    );
  }
});

test("a command that meets a certificate of another name or another time does not ask for its authority", () => {
  const told = (code: string) => explainFailure(Object.assign(new Error("certificate"), { code }));
  expect(told("ERR_TLS_CERT_ALTNAME_INVALID")).toBe(
    "The certificate of the other side has another name (ERR_TLS_CERT_ALTNAME_INVALID): use one of its names in the address.",
  );
  expect(told("CERT_HAS_EXPIRED")).toBe(
    "The certificate of the other side is not valid today (CERT_HAS_EXPIRED): have it renewed, and look at the clock of this machine.",
  );
});
