/** Who this program is to a DICOM peer (PS3.7 §D.3.3.2). */
export const IMPLEMENTATION = {
  classUID: "2.25.283549116234873216904738452194850192873",
  versionName: "EXAMETECA",
};
