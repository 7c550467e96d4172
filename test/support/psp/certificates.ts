import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

export interface Certified {
  /** PEM. */
  cert: string;
  /** PEM, PKCS #8. */
  key: string;
}

export interface Authority extends Certified {
  /** A certificate signed by this authority: for loopback and for today, unless a test wants it wrong. */
  certify(name: string, wrong?: { host?: string; from?: Date; until?: Date }): Certified;
}

const DAY_MS = 86_400_000;

/** An authority of its own, for as long as a test runs (X.509 v3, RFC 5280; ECDSA with P-256 and SHA-256). */
export function createAuthority(name: string): Authority {
  const keys = newKeys();
  const until = new Date(Date.now() + 300 * DAY_MS);
  const signing = { issuer: name, signer: keys.privateKey };
  const own = certificate({
    ...{ ...signing, subject: name, publicKey: keys.publicKey, until },
    extension: authority(),
  });
  return {
    cert: own,
    key: pemOf(keys.privateKey),
    certify(subject, wrong = {}) {
      const { publicKey, privateKey } = newKeys();
      const cert = certificate({
        ...{ ...signing, subject, publicKey, from: wrong.from, until: wrong.until ?? until },
        extension: addresses(wrong.host),
      });
      return { cert, key: pemOf(privateKey) };
    },
  };
}

function newKeys() {
  return generateKeyPairSync("ec", { namedCurve: "prime256v1" });
}

function pemOf(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

function certificate(of: {
  subject: string;
  issuer: string;
  publicKey: KeyObject;
  signer: KeyObject;
  from?: Date | undefined;
  until: Date;
  extension: Buffer;
}): string {
  const algorithm = sequence(objectId(ECDSA_WITH_SHA256));
  const signed = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([0x01]), randomBytes(15)])),
    algorithm,
    nameOf(of.issuer),
    sequence(
      utcTime(of.from?.getTime() ?? Math.min(of.until.getTime(), Date.now()) - 2 * DAY_MS),
      utcTime(of.until.getTime()),
    ),
    nameOf(of.subject),
    of.publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(of.extension)),
  );
  const signature = bits(sign("sha256", signed, of.signer));
  const base64 = sequence(signed, algorithm, signature).toString("base64");
  return `-----BEGIN CERTIFICATE-----\n${base64.match(/.{1,64}/g)?.join("\n")}\n-----END CERTIFICATE-----\n`;
}

/** Object identifiers, as DER has them. */
const ECDSA_WITH_SHA256 = "2a8648ce3d040302";
const COMMON_NAME = "550403";
const BASIC_CONSTRAINTS = "551d13";
const SUBJECT_ALT_NAME = "551d11";

function authority(): Buffer {
  const isAuthority = sequence(tagged(0x01, Buffer.from([0xff])));
  return sequence(objectId(BASIC_CONSTRAINTS), tagged(0x01, Buffer.from([0xff])), tagged(0x04, isAuthority));
}

function addresses(host?: string): Buffer {
  const loopback = [tagged(0x82, Buffer.from("localhost")), tagged(0x87, Buffer.from([127, 0, 0, 1]))];
  const names = sequence(...(host === undefined ? loopback : [tagged(0x82, Buffer.from(host))]));
  return sequence(objectId(SUBJECT_ALT_NAME), tagged(0x04, names));
}

function nameOf(commonName: string): Buffer {
  return sequence(tagged(0x31, sequence(objectId(COMMON_NAME), tagged(0x0c, Buffer.from(commonName)))));
}

function utcTime(time: number): Buffer {
  return tagged(
    0x17,
    Buffer.from(
      `${new Date(time)
        .toISOString()
        .replace(/[-:T]|\.\d+/g, "")
        .slice(2)}`,
    ),
  );
}

function objectId(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, "hex"));
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes);
}

function bits(bytes: Buffer): Buffer {
  return tagged(0x03, Buffer.concat([Buffer.from([0]), bytes]));
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function tagged(tag: number, value: Buffer): Buffer {
  const size = value.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), value]);
}
