/** What people call a modality, folded, in Portuguese and English, with the codes that studies have for it. */
const MODALITY_WORDS: Readonly<Record<string, readonly string[]>> = {
  tc: ["ct"],
  tomografia: ["ct"],
  tomography: ["ct"],
  rm: ["mr"],
  rmn: ["mr"],
  mri: ["mr"],
  ressonancia: ["mr"],
  resonance: ["mr"],
  usg: ["us"],
  ultrassom: ["us"],
  ultrassonografia: ["us"],
  ultrasound: ["us"],
  ecografia: ["us"],
  rx: ["cr", "dx"],
  raio: ["cr", "dx"],
  "raio-x": ["cr", "dx"],
  raios: ["cr", "dx"],
  radiografia: ["cr", "dx"],
  radiography: ["cr", "dx"],
  "x-ray": ["cr", "dx"],
  xray: ["cr", "dx"],
  // The filter of the list calls NM mammography, too.
  mamografia: ["mg", "nm"],
  mammography: ["mg", "nm"],
  medicina: ["nm"],
  nuclear: ["nm"],
  pet: ["pt"],
  densitometria: ["den"],
  densitometry: ["den"],
  endoscopia: ["es"],
  colonoscopia: ["es"],
  endoscopy: ["es"],
  colonoscopy: ["es"],
  angiografia: ["xa"],
  angiography: ["xa"],
  fluoroscopia: ["rf"],
  fluoroscopy: ["rf"],
};

/** Shorter words are compared whole, longer ones while they are being typed. */
const LEAST_BEGINNING = 4;

/** The modality codes, in lower case, that a folded word or its beginning means: `tc` and `tomogr` give `ct`. */
export function modalitiesCalled(word: string): string[] {
  const called = Object.entries(MODALITY_WORDS).filter(
    ([name]) => name === word || (word.length >= LEAST_BEGINNING && name.startsWith(word)),
  );
  return [...new Set(called.flatMap(([, codes]) => codes))];
}
