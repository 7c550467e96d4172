import { type Attributes, TAG_HEX } from "../keywords.ts";
import { type PlanOptions, type SeriesPlan, SOP_CLASS, type StudyPlan } from "../series-plan.ts";
import { createEcho, type Echo, renderDopplerFrame, renderEchoFrame, sectorSpacing } from "../ultrasound.ts";

const FRAME_TIME_MS = 33.3;
const HEART_RATE = 72;
const FRAMES_MAX = 600;

/** An echocardiogram: a grey cine loop of one heartbeat and a still with coloured flow. */
export function planUsHeart({ seed, size = 480, instances = 1, frames = 25 }: PlanOptions): StudyPlan {
  const echo = createEcho(size, Math.max(8, Math.round(size * 0.75)), seed);
  const count = Math.min(Math.max(1, frames), FRAMES_MAX);
  return {
    modality: "US",
    studyDescription: "Ecocardiograma transtorácico",
    sharesSpace: false,
    attributes: {
      Manufacturer: "Fantoma",
      ManufacturerModelName: "Setor 3",
      BodyPartExamined: "HEART",
      HeartRate: HEART_RATE,
      PatientOrientation: null,
      BurnedInAnnotation: "NO",
    },
    series: [cineSeries(echo, instances, count), dopplerSeries(echo)],
  };
}

function cineSeries(echo: Echo, instances: number, frames: number): SeriesPlan {
  return {
    seriesNumber: 1,
    seriesDescription: "Apical 4 câmaras",
    sopClassUID: SOP_CLASS.ultrasoundMultiFrame,
    instances,
    attributes: { FrameTime: FRAME_TIME_MS, FrameIncrementPointer: TAG_HEX.FrameTime },
    render(index) {
      const { rows, columns } = echo;
      const samples = new Uint8Array(rows * columns * frames);
      for (let frame = 0; frame < frames; frame++) {
        samples.set(renderEchoFrame(echo, ((frame + index * 3) / frames) % 1), frame * rows * columns);
      }
      return {
        attributes: { ImageType: ["ORIGINAL", "PRIMARY", "", "0001"], ...calibration(echo) },
        pixels: { rows, columns, samples, numberOfFrames: frames, bitsStored: 8 },
      };
    },
  };
}

function dopplerSeries(echo: Echo): SeriesPlan {
  return {
    seriesNumber: 2,
    seriesDescription: "Doppler colorido mitral",
    sopClassUID: SOP_CLASS.ultrasound,
    instances: 1,
    attributes: {},
    render() {
      const { rows, columns } = echo;
      return {
        attributes: { ImageType: ["ORIGINAL", "PRIMARY", "", "0010"], ...calibration(echo) },
        pixels: { rows, columns, samples: renderDopplerFrame(echo, 0.7), samplesPerPixel: 3, bitsStored: 8 },
      };
    },
  };
}

/** The region in which a viewer may measure, in cm (PS3.3 §C.8.5.5). */
function calibration(echo: Echo): Attributes {
  const centimetres = 3;
  const delta = sectorSpacing(echo) / 10;
  return {
    SequenceOfUltrasoundRegions: [
      {
        RegionSpatialFormat: 1,
        RegionDataType: 1,
        RegionFlags: 2,
        RegionLocationMinX0: 0,
        RegionLocationMinY0: 0,
        RegionLocationMaxX1: echo.columns - 1,
        RegionLocationMaxY1: echo.rows - 1,
        PhysicalUnitsXDirection: centimetres,
        PhysicalUnitsYDirection: centimetres,
        PhysicalDeltaX: delta,
        PhysicalDeltaY: delta,
      },
    ],
  };
}
