import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { type Icon, IconArrowDown, IconArrowUp, IconCopy, IconTrash } from '@tabler/icons-react';

interface Props {
  number: number;
  count: number;
  onMove: (by: -1 | 1) => void;
  onDuplicate: () => void;
  onRemove: () => void;
}

export function StepActions({ number, count, onMove, onDuplicate, onRemove }: Props) {
  return (
    <Group gap={2}>
      <ToolButton
        icon={IconArrowUp}
        label={`Move step ${number} up`}
        disabled={number === 1}
        onClick={() => onMove(-1)}
      />
      <ToolButton
        icon={IconArrowDown}
        label={`Move step ${number} down`}
        disabled={number === count}
        onClick={() => onMove(1)}
      />
      <ToolButton icon={IconCopy} label={`Duplicate step ${number}`} onClick={onDuplicate} />
      <ToolButton icon={IconTrash} label={`Remove step ${number}`} disabled={count === 1} onClick={onRemove} />
    </Group>
  );
}

interface ToolProps {
  icon: Icon;
  label: string;
  disabled?: boolean;
  onClick: () => void;
}

function ToolButton({ icon: Glyph, label, disabled, onClick }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} disabled={disabled} onClick={onClick}>
        <Glyph size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
