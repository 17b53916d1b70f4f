import { ActionIcon, Badge, Group, NumberInput, Paper, Stack, Textarea, TextInput, Tooltip } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconArrowDown, IconArrowUp, IconCopy, IconTrash, type Icon } from '@tabler/icons-react';
import type { PlanForm } from './plan-form';

const MONO = { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '12.5px' } };

interface Props {
  form: UseFormReturnType<PlanForm>;
  index: number;
  count: number;
  readOnly: boolean;
  onMove: (by: -1 | 1) => void;
  onDuplicate: () => void;
  onRemove: () => void;
}

export function StepCard({ form, index, count, readOnly, onMove, onDuplicate, onRemove }: Props) {
  const at = `steps.${index}`;
  const number = index + 1;
  return (
    <Paper p="sm" component="section" aria-label={`Step ${number}`}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Badge variant="light" color="gray" tt="none">
            Step {number}
          </Badge>
          {!readOnly && (
            <Group gap={2}>
              <Tool
                icon={IconArrowUp}
                label={`Move step ${number} up`}
                disabled={index === 0}
                onClick={() => onMove(-1)}
              />
              <Tool
                icon={IconArrowDown}
                label={`Move step ${number} down`}
                disabled={number === count}
                onClick={() => onMove(1)}
              />
              <Tool icon={IconCopy} label={`Duplicate step ${number}`} onClick={onDuplicate} />
              <Tool icon={IconTrash} label={`Remove step ${number}`} disabled={count === 1} onClick={onRemove} />
            </Group>
          )}
        </Group>
        <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
          <TextInput
            label="Key"
            withAsterisk
            maw={{ sm: 200 }}
            styles={MONO}
            readOnly={readOnly}
            {...form.getInputProps(`${at}.key`)}
          />
          <TextInput
            label="Name"
            placeholder="Same as the key"
            readOnly={readOnly}
            {...form.getInputProps(`${at}.name`)}
          />
        </Group>
        <Textarea
          label="Command"
          description="A shell command. {{ name }} puts a variable in, quoted for the shell."
          withAsterisk
          autosize
          minRows={2}
          maxRows={18}
          spellCheck={false}
          styles={MONO}
          readOnly={readOnly}
          {...form.getInputProps(`${at}.command`)}
        />
        <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
          <TextInput
            label="Targets"
            placeholder="All of the plan’s hosts"
            styles={MONO}
            readOnly={readOnly}
            {...form.getInputProps(`${at}.targets`)}
          />
          <NumberInput
            label="Time limit per host"
            placeholder="The usual one"
            suffix=" s"
            maw={{ sm: 200 }}
            min={1}
            allowDecimal={false}
            hideControls
            readOnly={readOnly}
            {...form.getInputProps(`${at}.timeoutSeconds`)}
          />
        </Group>
      </Stack>
    </Paper>
  );
}

function Tool({
  icon: Glyph,
  label,
  disabled,
  onClick,
}: {
  icon: Icon;
  label: string;
  disabled?: boolean;
  onClick: () => void;
}) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} disabled={disabled} onClick={onClick}>
        <Glyph size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
