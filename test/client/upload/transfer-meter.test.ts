import { expect, test } from "bun:test";
import { toMetadata } from "../../../src/client/features/upload/exam-form/exam-form.ts";
import { TransferMeter } from "../../../src/client/features/upload/send/transfer-meter.ts";

const MEGABYTE = 1_000_000;

test("the remaining time follows the speed of the last seconds", () => {
  const meter = new TransferMeter();
  expect(meter.read(0, 0, 100 * MEGABYTE)).toEqual({});
  expect(meter.read(1000, 2 * MEGABYTE, 100 * MEGABYTE)).toEqual({
    bytesPerSecond: 2 * MEGABYTE,
    secondsLeft: 49,
  });
  for (let second = 2; second <= 20; second++)
    meter.read(second * 1000, (2 + second) * MEGABYTE, 100 * MEGABYTE);
  expect(meter.read(21_000, 23 * MEGABYTE, 100 * MEGABYTE)).toEqual({
    bytesPerSecond: MEGABYTE,
    secondsLeft: 77,
  });
});

test("a stalled transfer shows no remaining time", () => {
  const meter = new TransferMeter();
  meter.read(0, MEGABYTE, 10 * MEGABYTE);
  expect(meter.read(5000, MEGABYTE, 10 * MEGABYTE)).toEqual({});
});

test("only changed values of the form are sent, and always the study's UID", () => {
  const prefilled = {
    patientName: "João Conceição",
    patientIDTag: "P 001",
    patientBirthDate: "1961-05-09",
    patientGender: "M",
    accessionNumber: "",
    description: "Crânio",
    examinedAt: "2026-03-14T07:27",
    modality: "CT",
    studyInstanceUID: "2.25.10",
    institutionName: "",
  };
  expect(toMetadata(prefilled, prefilled)).toEqual({ studyInstanceUID: "2.25.10" });
  const edited = { ...prefilled, patientName: " João C. ", description: "", institutionName: "Clínica" };
  expect(toMetadata(edited, prefilled)).toEqual({
    patientName: "João C.",
    institutionName: "Clínica",
    studyInstanceUID: "2.25.10",
  });
});
