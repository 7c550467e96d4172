/**
 * Hashes passwords with the least that argon2id takes: tests register hundreds of people. What the product asks for
 * is in the test of `passwords.ts`, and servers that tests start as processes of their own hash as ever.
 */
const hash = Bun.password.hash;
Bun.password.hash = (password, options) => {
  const isArgon2id = typeof options === "object" && options.algorithm === "argon2id";
  return hash(password, isArgon2id ? { ...options, memoryCost: 8, timeCost: 1 } : options);
};
