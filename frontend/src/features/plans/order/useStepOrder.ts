import { autoScrollWindowForElements } from '@atlaskit/pragmatic-drag-and-drop-auto-scroll/element';
import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import { monitorForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import type { UseFormReturnType } from '@mantine/form';
import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { errorsByRow } from '../form/form-rows';
import { moveItem, type PlanForm } from '../form/plan-form';
import { type Edge, placeOf, targetIndex } from './step-order';

interface PickedStep {
  row: string;
  /** Position when the step was picked up. */
  from: number;
}

interface Held {
  hold: () => void;
  letGo: () => void;
}

/** Reorders steps by drag, keys or buttons. Errors, focus and open groups move with the steps. */
export function useStepOrder(form: UseFormReturnType<PlanForm>, { hold, letGo }: Held) {
  const [pickedStep, setPickedStep] = useState<PickedStep | null>(null);
  const [announcement, setAnnouncement] = useState('');
  const { steps } = form.values;

  const setSteps = (next: PlanForm['steps']) => {
    const before = form.getValues().steps;
    form.setFieldValue('steps', next);
    form.setErrors((errors) => errorsByRow(errors, 'steps', before, next));
  };

  const moveBy = (row: string, by: number) => {
    const from = steps.findIndex((step) => step.row === row);
    const to = Math.max(0, Math.min(from + by, steps.length - 1));
    if (from < 0) return;
    setAnnouncement(placeOf(steps[from]?.key ?? '', to, steps.length));
    if (from === to) return;
    const focused = document.activeElement;
    flushSync(() => setSteps(moveItem(steps, from, by)));
    const card = cardOf(row);
    card?.scrollIntoView({ block: 'nearest' });
    // At the end of the list, the pressed button becomes disabled and would lose the focus.
    if (focused instanceof HTMLButtonElement && focused.disabled && card?.contains(focused)) focusHandle(row);
  };

  const pick = (row: string) => {
    const from = steps.findIndex((step) => step.row === row);
    hold();
    setPickedStep({ row, from });
    const place = placeOf(steps[from]?.key ?? '', from, steps.length);
    setAnnouncement(`Picked up. ${place} Arrow keys move it, Space drops it, Escape cancels.`);
  };
  const drop = () => {
    if (!pickedStep) return;
    const at = steps.findIndex((step) => step.row === pickedStep.row);
    letGo();
    setPickedStep(null);
    setAnnouncement(`Dropped. ${placeOf(steps[at]?.key ?? '', at, steps.length)}`);
  };
  const cancel = () => {
    if (!pickedStep) return;
    moveBy(pickedStep.row, pickedStep.from - steps.findIndex((step) => step.row === pickedStep.row));
    letGo();
    setPickedStep(null);
    setAnnouncement(
      `Move cancelled. ${placeOf(steps.find((step) => step.row === pickedStep.row)?.key ?? '', pickedStep.from, steps.length)}`,
    );
  };

  const latest = useRef(moveBy);
  useEffect(() => {
    latest.current = moveBy;
  });
  useEffect(
    () =>
      combine(
        autoScrollWindowForElements({ canScroll: ({ source }) => stepOf(source.data) !== null }),
        monitorForElements({
          canMonitor: ({ source }) => stepOf(source.data) !== null,
          onDrop: ({ source, location }) => {
            const dragged = stepOf(source.data);
            const over = location.current.dropTargets[0]?.data;
            const target = over ? stepOf(over) : null;
            if (dragged === null || !over || target === null) return;
            const rows = form.getValues().steps.map(({ row }) => row);
            latest.current(dragged, targetIndex(rows.indexOf(dragged), rows.indexOf(target), over.edge as Edge));
            focusHandle(dragged);
          },
        }),
      ),
    [form],
  );

  return { picked: pickedStep?.row ?? null, announcement, setSteps, moveBy, pick, drop, cancel };
}

export type StepOrder = ReturnType<typeof useStepOrder>;

/** Returns the row of the dragged step; null: something else is dragged. */
const stepOf = (data: Record<string | symbol, unknown>): string | null =>
  typeof data.step === 'string' ? data.step : null;

const cardOf = (row: string): Element | null => document.querySelector(`[data-step-row="${row}"]`);

export const focusHandle = (row: string): void =>
  cardOf(row)?.querySelector<HTMLElement>('[data-step-handle]')?.focus({ preventScroll: true });
