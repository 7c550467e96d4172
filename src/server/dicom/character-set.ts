export * from "../../shared/dicom/character-set.ts";
