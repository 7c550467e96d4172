import { useEffect, useMemo, useRef, useState } from "react";
import { linkScroll } from "../core/scroll-link.ts";
import type { StackSource } from "../core/source.ts";
import { useVisor, type Visor } from "./use-visor.ts";
import type { ComparedExam, VisorProps } from "./visor-props.ts";

const NO_SOURCE: StackSource = {
  listSeries: async () => [],
  readMetadata: async () => [],
  readFrame: () => Promise.reject(new TypeError("no exam is open")),
};

export type Comparison = ReturnType<typeof useComparison>;

/** Another exam beside the first one. Tools and keys act on the side that was touched last. */
export function useComparison(own: Visor, findOthers: VisorProps["findOthers"]) {
  const [found, setFound] = useState<"off" | "finding" | "failed" | readonly ComparedExam[]>("off");
  const [chosen, setChosen] = useState<ComparedExam>();
  const [isLinked, setLinked] = useState(true);
  const [isOtherActive, setOtherActive] = useState(false);
  const source = useMemo(() => chosen?.open() ?? NO_SOURCE, [chosen]);
  const visor = useVisor({ source, studies: chosen ? [chosen] : [], isBeside: true });

  const [ownModel, otherModel] = [own.model, visor.model];
  useEffect(() => {
    if (chosen && isLinked) return linkScroll(ownModel, otherModel);
  }, [chosen, isLinked, ownModel, otherModel]);

  const finding = useRef<AbortController>(undefined);
  useEffect(() => () => finding.current?.abort(), []);

  async function open(): Promise<void> {
    if (!findOthers) return;
    finding.current?.abort();
    const controller = new AbortController();
    finding.current = controller;
    setFound("finding");
    const others = await findOthers(controller.signal).catch(() => "failed" as const);
    if (controller.signal.aborted) return;
    setFound(others);
    if (others !== "failed") setChosen(others[0]);
  }

  function close(): void {
    finding.current?.abort();
    setFound("off");
    setChosen(undefined);
    setOtherActive(false);
  }

  const isOpen = found !== "off";
  return {
    /** Absent: there is nothing to compare with. */
    toggle: findOthers && (() => (isOpen ? close() : void open())),
    isOpen,
    found,
    chosen,
    visor,
    isLinked,
    setLinked,
    open,
    close,
    choose: (studyInstanceUID: string) => {
      if (typeof found !== "string")
        setChosen(found.find((exam) => exam.studyInstanceUID === studyInstanceUID));
    },
    isOtherActive: isOtherActive && chosen !== undefined,
    setOtherActive,
  };
}
