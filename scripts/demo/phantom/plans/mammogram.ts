import type { Attributes } from "../keywords.ts";
import { DETECTOR_MM, renderMammogram } from "../mammogram.ts";
import { type PlanOptions, type SeriesPlan, SOP_CLASS, type StudyPlan } from "../series-plan.ts";

const STORED_MAX = 4095;

interface View {
  laterality: "R" | "L";
  name: "CC" | "MLO";
  code: Attributes;
}

/** View codes of PS3.16 context group 4014. */
const CRANIO_CAUDAL: Attributes = {
  CodeValue: "399162004",
  CodingSchemeDesignator: "SCT",
  CodeMeaning: "cranio-caudal",
};
const MEDIO_LATERAL_OBLIQUE: Attributes = {
  CodeValue: "399368009",
  CodingSchemeDesignator: "SCT",
  CodeMeaning: "medio-lateral oblique",
};

const VIEWS: readonly View[] = [
  { laterality: "R", name: "CC", code: CRANIO_CAUDAL },
  { laterality: "L", name: "CC", code: CRANIO_CAUDAL },
  { laterality: "R", name: "MLO", code: MEDIO_LATERAL_OBLIQUE },
  { laterality: "L", name: "MLO", code: MEDIO_LATERAL_OBLIQUE },
];

/** A screening mammogram: two views of each side, one series a view. */
export function planMammogram({ seed, size = 900 }: PlanOptions): StudyPlan {
  const rows = Math.round(size / 0.75);
  return {
    modality: "MG",
    studyDescription: "Mamografia bilateral",
    sharesSpace: false,
    attributes: {
      Manufacturer: "Fantoma",
      ManufacturerModelName: "Mama 24",
      BodyPartExamined: "BREAST",
      OrganExposed: "BREAST",
      PresentationIntentType: "FOR PRESENTATION",
      DetectorType: "DIRECT",
      PositionerType: "MAMMOGRAPHIC",
      KVP: 29,
      CompressionForce: 92,
      BodyPartThickness: 54,
      BreastImplantPresent: "NO",
      PartialView: "NO",
      BurnedInAnnotation: "NO",
      PixelIntensityRelationship: "LOG",
      PixelIntensityRelationshipSign: -1,
      PresentationLUTShape: "IDENTITY",
      LossyImageCompression: "00",
      RescaleIntercept: 0,
      RescaleSlope: 1,
      RescaleType: "US",
      AcquisitionContextSequence: [],
      AnatomicRegionSequence: [
        { CodeValue: "76752008", CodingSchemeDesignator: "SCT", CodeMeaning: "Breast" },
      ],
    },
    series: VIEWS.map((view, i) => viewSeries(view, i + 1, rows, seed)),
  };
}

function viewSeries(view: View, seriesNumber: number, rows: number, seed: number): SeriesPlan {
  const toTheLeft = view.laterality === "R";
  const oblique = view.name === "MLO";
  return {
    seriesNumber,
    seriesDescription: `${view.laterality} ${view.name}`,
    sopClassUID: SOP_CLASS.mammogram,
    instances: 1,
    attributes: {
      ViewPosition: view.name,
      ImageLaterality: view.laterality,
      ViewCodeSequence: [{ ...view.code, ViewModifierCodeSequence: [] }],
      PositionerPrimaryAngle: oblique ? (toTheLeft ? -45 : 45) : 0,
      PatientOrientation: [toTheLeft ? "P" : "A", oblique ? "F" : toTheLeft ? "L" : "R"],
    },
    render() {
      const raster = renderMammogram(rows, seed + (toTheLeft ? 0 : 1), view.name);
      const { columns } = raster;
      const samples = new Uint16Array(rows * columns);
      for (let index = 0; index < samples.length; index++) {
        const column = index % columns;
        const from = toTheLeft ? index - column + (columns - 1 - column) : index;
        samples[index] = Math.round((raster.values[from] ?? 0) * STORED_MAX);
      }
      const spacing = DETECTOR_MM[1] / rows;
      return {
        attributes: {
          ImageType: ["ORIGINAL", "PRIMARY", ""],
          ImagerPixelSpacing: [spacing, spacing],
          PixelSpacing: [spacing, spacing],
          WindowCenter: 1800,
          WindowWidth: 3400,
        },
        pixels: { rows, columns, samples, bitsStored: 12 },
      };
    },
  };
}
