import { Button, Group, Tooltip, VisuallyHidden } from '@mantine/core';
import { type Icon, IconArrowBackUp, IconArrowForwardUp } from '@tabler/icons-react';
import type { PlanEdits } from './usePlanForm';

export function HistoryButtons({ edits }: { edits: PlanEdits }) {
  return (
    <Group gap={4}>
      <Way icon={IconArrowBackUp} label="Undo" what={edits.undoes} keys="Control+Z" onClick={edits.undo} />
      <Way icon={IconArrowForwardUp} label="Redo" what={edits.redoes} keys="Control+Shift+Z" onClick={edits.redo} />
      <VisuallyHidden role="status">{edits.status}</VisuallyHidden>
    </Group>
  );
}

interface HistoryButtonProps {
  icon: Icon;
  label: string;
  what: string | null;
  keys: string;
  onClick: () => void;
}

function Way({ icon: Glyph, label, what, keys, onClick }: HistoryButtonProps) {
  return (
    <Tooltip label={what === null ? `Nothing to ${label.toLowerCase()}` : `${label}: ${what} (${keys})`}>
      <Button
        size="xs"
        variant="subtle"
        color="gray"
        leftSection={<Glyph size={15} aria-hidden />}
        // Unlike `disabled`, keeps the focus when the history is empty, so that keyboard users do not lose their
        // position.
        data-disabled={what === null || undefined}
        aria-disabled={what === null}
        aria-keyshortcuts={keys}
        onClick={onClick}
      >
        {label}
      </Button>
    </Tooltip>
  );
}
