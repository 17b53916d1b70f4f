import { Accordion, Badge, Group, Paper, Select, Stack, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type KeyboardEvent, useRef, useState } from 'react';
import type { PlanForm } from '../form/plan-form';
import { formType, STEP_TYPES } from '../form/types/step-types';
import { DragHandle } from '../order/DragHandle';
import { useDraggableStep } from '../order/useDraggableStep';
import type { StepOrder } from '../order/useStepOrder';
import classes from '../order/order.module.css';
import { groupsWithErrors, GROUP_TITLES, describeGroup, type StepGroup, groupsOf } from './step-groups';
import { StepAdvanced } from './StepAdvanced';
import { StepFailure } from './StepFailure';
import { StepActions } from './StepActions';
import { StepContentFields } from './StepWhat';
import { StepConditionFields } from './StepWhen';
import { StepTargetFields } from './StepWhere';
import { MONO, type StepFieldsProps } from './fields/step-field';

const TYPES = STEP_TYPES.map((value) => ({ value, label: formType(value).label }));

interface Props {
  form: UseFormReturnType<PlanForm>;
  index: number;
  count: number;
  readOnly: boolean;
  order: StepOrder;
  onDuplicate: () => void;
  onRemove: () => void;
}

const GROUPS = { where: StepTargetFields, when: StepConditionFields, failure: StepFailure, advanced: StepAdvanced };

export function StepCard({ form, index, count, readOnly, order, onDuplicate, onRemove }: Props) {
  const number = index + 1;
  const step = form.values.steps[index];
  const card = useRef<HTMLElement>(null);
  const handle = useRef<HTMLButtonElement>(null);
  const row = step?.row ?? '';
  const label = step?.key ? `Step ${number} · ${step.key}` : `Step ${number}`;
  const { dragged, edge } = useDraggableStep({ card, handle, row, label, enabled: !readOnly });
  if (!step) return null;
  /** Excludes selects, where Alt+Arrow opens the list. */
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || by === 0 || event.defaultPrevented) return;
    if (event.target instanceof HTMLElement && event.target.getAttribute('aria-haspopup') === 'listbox') return;
    event.preventDefault();
    order.moveBy(row, by);
  };
  return (
    <Paper
      ref={card}
      p="sm"
      component="section"
      className={classes.card}
      aria-label={`Step ${number}`}
      data-step-row={row}
      data-picked={order.picked === row || undefined}
      data-dragged={dragged || undefined}
      data-edge={edge ?? undefined}
      onKeyDown={readOnly ? undefined : onKeyDown}
    >
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Group gap={4}>
            {!readOnly && <DragHandle ref={handle} number={number} row={row} order={order} />}
            <Badge variant="light" color="gray" tt="none">
              Step {number}
            </Badge>
          </Group>
          {!readOnly && (
            <StepActions
              number={number}
              count={count}
              onMove={(by) => order.moveBy(row, by)}
              onDuplicate={onDuplicate}
              onRemove={onRemove}
            />
          )}
        </Group>
        <IdentityFields form={form} index={index} readOnly={readOnly} />
        <StepContentFields form={form} index={index} readOnly={readOnly} />
        <StepGroups form={form} index={index} readOnly={readOnly} />
      </Stack>
    </Paper>
  );
}

/** Key, name and type of a step. */
function IdentityFields({ form, index, readOnly }: StepFieldsProps) {
  const at = `steps.${index}`;
  return (
    <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
      <TextInput
        label="Key"
        withAsterisk
        maw={{ sm: 200 }}
        classNames={MONO}
        readOnly={readOnly}
        {...form.getInputProps(`${at}.key`)}
      />
      <TextInput label="Name" placeholder="Same as the key" readOnly={readOnly} {...form.getInputProps(`${at}.name`)} />
      <Select
        label="Type"
        data={TYPES}
        allowDeselect={false}
        maw={{ sm: 220 }}
        readOnly={readOnly}
        {...form.getInputProps(`${at}.type`)}
      />
    </Group>
  );
}

/** Further settings in groups that open on demand. */
function StepGroups({ form, index, readOnly }: StepFieldsProps) {
  const [opened, setOpened] = useState<string[]>([]);
  const step = form.values.steps[index];
  if (!step) return null;
  // A closed group must not hide an error.
  const visible = [...new Set([...opened, ...groupsWithErrors(form.errors, index)])];
  return (
    <Accordion
      classNames={{ label: classes.groupTitle }}
      multiple
      variant="filled"
      chevronPosition="left"
      value={visible}
      onChange={setOpened}
      order={3}
    >
      {groupsOf(step.type).map((group: StepGroup) => {
        const Fields = GROUPS[group];
        return (
          <Accordion.Item key={group} value={group}>
            <Accordion.Control>
              <Group gap={8}>
                <Text span fw={550}>
                  {GROUP_TITLES[group]}
                </Text>
                <Text span size="xs" c="dimmed" className="rw-wrap-anywhere">
                  {describeGroup(group, step)}
                </Text>
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              <Fields form={form} index={index} readOnly={readOnly} />
            </Accordion.Panel>
          </Accordion.Item>
        );
      })}
    </Accordion>
  );
}
