/** What the head and chest are made of. */
export interface Tissues {
  air: number;
  fat: number;
  skin: number;
  muscle: number;
  bone: number;
  marrow: number;
  fluid: number;
  greyMatter: number;
  whiteMatter: number;
  vitreous: number;
  lens: number;
  dura: number;
  calcification: number;
}

export type Contrast = "ct" | "t1" | "t2" | "flair";

/** CT in Hounsfield units; MR in arbitrary signal units, 0–1000. */
export const TISSUES: Record<Contrast, Tissues> = {
  ct: {
    air: -1000,
    fat: -85,
    skin: 45,
    muscle: 58,
    bone: 1250,
    marrow: 520,
    fluid: 6,
    greyMatter: 42,
    whiteMatter: 28,
    vitreous: 12,
    lens: 85,
    dura: 62,
    calcification: 190,
  },
  t1: {
    air: 8,
    fat: 900,
    skin: 520,
    muscle: 330,
    bone: 30,
    marrow: 560,
    fluid: 90,
    greyMatter: 400,
    whiteMatter: 560,
    vitreous: 110,
    lens: 320,
    dura: 300,
    calcification: 60,
  },
  t2: {
    air: 8,
    fat: 560,
    skin: 330,
    muscle: 180,
    bone: 25,
    marrow: 330,
    fluid: 930,
    greyMatter: 440,
    whiteMatter: 300,
    vitreous: 960,
    lens: 120,
    dura: 120,
    calcification: 60,
  },
  flair: {
    air: 8,
    fat: 470,
    skin: 300,
    muscle: 210,
    bone: 25,
    marrow: 300,
    fluid: 70,
    greyMatter: 480,
    whiteMatter: 350,
    vitreous: 90,
    lens: 130,
    dura: 170,
    calcification: 60,
  },
};
