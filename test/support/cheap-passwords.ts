/**
 * Hashes passwords with the least that argon2id allows: tests register hundreds of people. The test of `passwords.ts`
 * checks the product's own parameters, and servers in processes of their own use them.
 */
const hash = Bun.password.hash;
Bun.password.hash = (password, options) => {
  const isArgon2id = typeof options === "object" && options.algorithm === "argon2id";
  return hash(password, isArgon2id ? { ...options, memoryCost: 8, timeCost: 1 } : options);
};
