import { ActionIcon, Tooltip } from '@mantine/core';
import { IconGripVertical } from '@tabler/icons-react';
import type { KeyboardEvent, RefObject } from 'react';
import type { StepOrder } from './useStepOrder';
import classes from './order.module.css';

interface Props {
  ref: RefObject<HTMLButtonElement | null>;
  number: number;
  row: string;
  order: StepOrder;
}

/** Drag handle of a step. With the keyboard, Space or Enter picks up the step and arrow keys move it. */
export function DragHandle({ ref, number, row, order }: Props) {
  const picked = order.picked === row;
  const toggle = () => (picked ? order.drop() : order.pick(row));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const act = picked ? actions(order, row)[event.key] : undefined;
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  const label = `Reorder step ${number}`;
  return (
    <Tooltip label={`${label}: drag, or press Space and arrow keys`}>
      <ActionIcon
        ref={ref}
        className={classes.handle}
        variant="subtle"
        color="gray"
        aria-label={label}
        aria-pressed={picked}
        data-step-handle
        onClick={toggle}
        onKeyDown={onKeyDown}
        onBlur={order.drop}
      >
        <IconGripVertical size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

const actions = (order: StepOrder, row: string): Partial<Record<string, () => void>> => ({
  ArrowUp: () => order.moveBy(row, -1),
  ArrowDown: () => order.moveBy(row, 1),
  Home: () => order.moveBy(row, -Infinity),
  End: () => order.moveBy(row, Infinity),
  Escape: order.cancel,
});
