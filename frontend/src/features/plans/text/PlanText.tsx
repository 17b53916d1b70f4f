import { Alert, Anchor, Box, Loader, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { IconAlertCircle, IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { checkPlan, planSchemaQuery } from '../../../api/queries/plans/plan-texts';
import type { PlanFault } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { plural } from '../../../ui/format/format';

const YamlEditor = lazy(() => import('./YamlEditor').then((file) => ({ default: file.YamlEditor })));

interface Props {
  value: string;
  readOnly: boolean;
  onChange: (text: string) => void;
}

const DEBOUNCE_MS = 350;

/** Edits the YAML of a plan. The server validates it while the user types. */
export function PlanText({ value, readOnly, onChange }: Props) {
  const [settled] = useDebouncedValue(value, DEBOUNCE_MS);
  const [targetPosition, setTargetPosition] = useState<{ line: number; column: number } | null>(null);
  const schema = useQuery(planSchemaQuery);
  const check = useQuery({
    queryKey: ['plans', 'check', settled],
    queryFn: () => checkPlan(settled),
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
  });
  const faults = check.data?.faults ?? NO_FAULTS;
  const warnings = check.data?.warnings ?? NO_FAULTS;
  return (
    <>
      <Suspense fallback={<Loader size="sm" aria-label="Loading the editor" />}>
        <YamlEditor
          value={value}
          label="Plan as YAML"
          readOnly={readOnly}
          schema={schema.data}
          faults={faults}
          targetPosition={targetPosition}
          onChange={onChange}
        />
      </Suspense>
      <Box aria-live="polite" mt={12}>
        {check.error ? (
          <ErrorPanel error={check.error} title="The text could not be validated" />
        ) : faults.length > 0 ? (
          <FaultsOfText faults={faults} onSelectPlace={setTargetPosition} />
        ) : warnings.length > 0 ? (
          <WarningsOfText warnings={warnings} onSelectPlace={setTargetPosition} />
        ) : check.data ? (
          <Text size="sm" c="dimmed">
            <IconCheck size={14} aria-hidden className="rw-inline-icon" /> Valid. Press Ctrl+Space to complete fields.
          </Text>
        ) : null}
      </Box>
    </>
  );
}

const NO_FAULTS: readonly PlanFault[] = [];

interface FaultsProps {
  faults: readonly PlacedText[];
  onSelectPlace?: GoTo;
}

type PlacedText = Pick<PlanFault, 'line' | 'column' | 'reason'>;
type GoTo = (place: { line: number; column: number }) => void;

export function FaultsOfText({ faults, onSelectPlace }: FaultsProps) {
  return (
    <Alert color="red" icon={<IconAlertCircle aria-hidden />} title={plural(faults.length, 'error')}>
      <PlacedList label="Errors" items={faults} onSelectPlace={onSelectPlace} />
    </Alert>
  );
}

/** The plan can be saved despite these warnings. */
export function WarningsOfText({ warnings, onSelectPlace }: { warnings: readonly PlacedText[]; onSelectPlace?: GoTo }) {
  return (
    <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={plural(warnings.length, 'warning')}>
      <PlacedList label="Warnings" items={warnings} onSelectPlace={onSelectPlace} />
    </Alert>
  );
}

function PlacedList({
  label,
  items,
  onSelectPlace,
}: {
  label: string;
  items: readonly PlacedText[];
  onSelectPlace?: GoTo;
}) {
  return (
    <ul className="rw-list" aria-label={label}>
      {items.map(({ line, column, reason }, index) => (
        <li key={index} className="rw-wrap-anywhere">
          {onSelectPlace ? (
            <Anchor
              component="button"
              type="button"
              c="inherit"
              underline="always"
              onClick={() => onSelectPlace({ line, column })}
            >
              Line {line}, column {column}
            </Anchor>
          ) : (
            `Line ${line}, column ${column}`
          )}
          : {reason.text}
        </li>
      ))}
    </ul>
  );
}
