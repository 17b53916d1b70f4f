import { Alert, Anchor, Loader, Text } from '@mantine/core';
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

const SETTLES_MS = 350;

/** YAML of a plan, validated by the server while typing. */
export function PlanText({ value, readOnly, onChange }: Props) {
  const [settled] = useDebouncedValue(value, SETTLES_MS);
  const [goTo, setGoTo] = useState<{ line: number; column: number } | null>(null);
  const schema = useQuery(planSchemaQuery);
  const check = useQuery({
    queryKey: ['plans', 'check', settled],
    queryFn: () => checkPlan(settled),
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
  });
  const faults = check.data?.faults ?? NONE;
  const warnings = check.data?.warnings ?? NONE;
  return (
    <>
      <Suspense fallback={<Loader size="sm" aria-label="Loading the editor" />}>
        <YamlEditor
          value={value}
          label="Plan as YAML"
          readOnly={readOnly}
          schema={schema.data}
          faults={faults}
          goTo={goTo}
          onChange={onChange}
        />
      </Suspense>
      <div aria-live="polite" style={{ marginTop: 12 }}>
        {check.error ? (
          <ErrorPanel error={check.error} title="The text could not be validated" />
        ) : faults.length > 0 ? (
          <FaultsOfText faults={faults} onGo={setGoTo} />
        ) : warnings.length > 0 ? (
          <WarningsOfText warnings={warnings} onGo={setGoTo} />
        ) : check.data ? (
          <Text size="sm" c="dimmed">
            <IconCheck size={14} aria-hidden style={{ verticalAlign: '-2px' }} /> Valid. Press Ctrl+Space to complete
            fields.
          </Text>
        ) : null}
      </div>
    </>
  );
}

const NONE: readonly PlanFault[] = [];

interface FaultsProps {
  faults: readonly PlacedText[];
  onGo?: GoTo;
}

type PlacedText = Pick<PlanFault, 'line' | 'column' | 'message'>;
type GoTo = (place: { line: number; column: number }) => void;

/** Errors by line, with links to the line. */
export function FaultsOfText({ faults, onGo }: FaultsProps) {
  return (
    <Alert color="red" icon={<IconAlertCircle aria-hidden />} title={plural(faults.length, 'error')}>
      <PlacedList label="Errors" items={faults} onGo={onGo} />
    </Alert>
  );
}

/** Warnings by line. The plan can be saved. */
export function WarningsOfText({ warnings, onGo }: { warnings: readonly PlacedText[]; onGo?: GoTo }) {
  return (
    <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={plural(warnings.length, 'warning')}>
      <PlacedList label="Warnings" items={warnings} onGo={onGo} />
    </Alert>
  );
}

function PlacedList({ label, items, onGo }: { label: string; items: readonly PlacedText[]; onGo?: GoTo }) {
  return (
    <ul style={{ margin: 0, paddingInlineStart: 18 }} aria-label={label}>
      {items.map(({ line, column, message }, index) => (
        <li key={index} style={{ overflowWrap: 'anywhere' }}>
          {onGo ? (
            <Anchor
              component="button"
              type="button"
              c="inherit"
              underline="always"
              onClick={() => onGo({ line, column })}
            >
              Line {line}, column {column}
            </Anchor>
          ) : (
            `Line ${line}, column ${column}`
          )}
          : {message}
        </li>
      ))}
    </ul>
  );
}
