import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import type { PasskeyAssertion, PasskeyAttestation } from "../../../src/shared/api/factors.ts";

/** Deviations that a test expects to be refused; by default everything is as a browser and an authenticator do it. */
export interface Bent {
  origin?: string;
  rpId?: string;
  challenge?: string;
  userVerified?: boolean;
  counter?: number;
  crossOrigin?: boolean;
  userHandle?: string;
  type?: string;
  /** Claimed instead of `none`, with these statements. */
  attestation?: { fmt: string; attStmt: [string, Cbor][] };
}

type Cbor = number | string | Uint8Array | Cbor[] | Map<Cbor, Cbor>;

/** A passkey authenticator in memory: ES256, discoverable, no attestation (WebAuthn Level 3 §6). */
export class SoftwareAuthenticator {
  readonly credentialId = randomBytes(32).toString("base64url");
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  #counter: number;
  #userHandle = "";

  constructor(
    private readonly origin: string,
    options: { counts?: boolean } = {},
  ) {
    this.#counter = options.counts === false ? 0 : 1;
  }

  register(
    options: { challenge: string; rp: { id?: string }; user: { id: string } },
    bent: Bent = {},
  ): PasskeyAttestation {
    this.#userHandle = options.user.id;
    const id = Buffer.from(this.credentialId, "base64url");
    const credential = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([id.length >> 8, id.length & 255]),
      id,
      encodeCbor(coseKey(this.#keys.publicKey)),
    ]);
    const authData = this.#authenticatorData(options.rp.id ?? "", bent, credential);
    const { fmt, attStmt } = bent.attestation ?? { fmt: "none", attStmt: [] };
    const attestationObject = encodeCbor(
      new Map<Cbor, Cbor>([
        ["fmt", fmt],
        ["attStmt", new Map<Cbor, Cbor>(attStmt)],
        ["authData", authData],
      ]),
    );
    return {
      id: this.credentialId,
      rawId: this.credentialId,
      type: "public-key",
      response: {
        clientDataJSON: this.#clientData("webauthn.create", options.challenge, bent).toString("base64url"),
        attestationObject: Buffer.from(attestationObject).toString("base64url"),
        transports: ["internal"],
      },
    };
  }

  sign(options: { challenge: string; rpId?: string }, bent: Bent = {}): PasskeyAssertion {
    if (this.#counter > 0) this.#counter += 1;
    const clientData = this.#clientData("webauthn.get", options.challenge, bent);
    const authenticatorData = this.#authenticatorData(options.rpId ?? "", bent);
    const signed = Buffer.concat([authenticatorData, sha256(clientData)]);
    return {
      id: this.credentialId,
      rawId: this.credentialId,
      type: "public-key",
      response: {
        clientDataJSON: clientData.toString("base64url"),
        authenticatorData: authenticatorData.toString("base64url"),
        signature: sign("sha256", signed, this.#keys.privateKey).toString("base64url"),
        userHandle: bent.userHandle ?? (this.#userHandle || null),
      },
    };
  }

  #clientData(type: string, challenge: string, bent: Bent): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: bent.type ?? type,
        challenge: bent.challenge ?? challenge,
        origin: bent.origin ?? this.origin,
        crossOrigin: bent.crossOrigin ?? false,
      }),
    );
  }

  /** Hash of the relying party's id, flags (UP 1, UV 4, AT 64), counter, and the credential. */
  #authenticatorData(rpId: string, bent: Bent, credential?: Buffer): Buffer {
    const flags = 1 + (bent.userVerified === false ? 0 : 4) + (credential ? 64 : 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(bent.counter ?? this.#counter);
    return Buffer.concat([
      sha256(Buffer.from(bent.rpId ?? rpId)),
      Buffer.from([flags]),
      counter,
      credential ?? Buffer.alloc(0),
    ]);
  }
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/** kty EC2, alg ES256, crv P-256 (RFC 9053). */
function coseKey(key: KeyObject): Map<Cbor, Cbor> {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  return new Map<Cbor, Cbor>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, Buffer.from(x, "base64url")],
    [-3, Buffer.from(y, "base64url")],
  ]);
}

/** As much of CBOR (RFC 8949) as WebAuthn needs. */
function encodeCbor(value: Cbor): Uint8Array {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string")
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(encodeCbor)]);
  const entries = [...value].flatMap(([key, entry]) => [encodeCbor(key), encodeCbor(entry)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

function head(majorType: number, value: number): Uint8Array {
  const type = majorType << 5;
  if (value < 24) return Uint8Array.of(type | value);
  if (value < 256) return Uint8Array.of(type | 24, value);
  return Uint8Array.of(type | 25, value >> 8, value & 255);
}
