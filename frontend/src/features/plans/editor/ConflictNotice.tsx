import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconGitMerge } from '@tabler/icons-react';
import { newerPlanQuery } from '../../../api/queries/plans/plans';
import type { Plan } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { plural } from '../../../ui/format/format';
import { RelativeTime } from '../../../ui/format/RelativeTime';

interface Props {
  planId: string;
  /** Plan that the edits are based on. */
  base: Plan;
  /** Whether a save was refused; otherwise the newer revision was noticed before. */
  refused: boolean;
  pending: boolean;
  /** Merges the edits into the other revision; null = the edits are a text. */
  merging: { collisionsWith: (theirs: Plan) => string[]; onMerge: (theirs: Plan) => void } | null;
  onReload: (theirs: Plan) => void;
  onKeepMine: (theirs: Plan) => void;
}

/** Reports an edit conflict: shows the other change, and offers to merge both or to choose one. */
export function ConflictNotice({ planId, base, refused, pending, merging, onReload, onKeepMine }: Props) {
  const { data: theirs, error } = useQuery(newerPlanQuery(planId, base.version));
  if (error) return <ErrorPanel error={error} title="The other revision could not be loaded" />;
  if (!theirs) return null;
  const collisions = merging?.collisionsWith(theirs) ?? [];
  return (
    <Alert
      color="yellow"
      role="alert"
      icon={<IconGitMerge aria-hidden />}
      title={`${refused ? 'Not saved: someone' : 'Someone'} else saved revision ${theirs.revision}`}
    >
      <Stack gap="xs">
        <Text>
          Saved <RelativeTime at={theirs.updatedAt} />: {changes(base, theirs)} Your edits are still in the form.
        </Text>
        {collisions.length > 0 && (
          <Text>You both changed {collisions.join(', ')}. Merging keeps your change of these.</Text>
        )}
        <Group gap="xs">
          {merging && (
            <Button disabled={pending} onClick={() => merging.onMerge(theirs)}>
              Merge my edits into revision {theirs.revision}
            </Button>
          )}
          <Button variant="default" loading={pending} onClick={() => onKeepMine(theirs)}>
            Save mine as revision {theirs.revision + 1}
          </Button>
          <Button variant="default" disabled={pending} onClick={() => onReload(theirs)}>
            Load revision {theirs.revision} and discard my edits
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

const FIELDS = [
  ...(['name', 'description', 'environmentId', 'collectionId', 'targets', 'variables'] as const),
  ...(['timeoutSeconds', 'maxFailPercent', 'onFailure', 'strategy', 'parallelSafe', 'locks', 'allowedModes'] as const),
];
const FIELD_NAMES: Partial<Record<keyof Plan, string>> = {
  environmentId: 'environment',
  collectionId: 'collection',
  timeoutSeconds: 'time limit',
  maxFailPercent: 'maximum failed hosts',
  onFailure: 'action on failure',
  strategy: 'host progress',
  parallelSafe: 'parallel runs',
  allowedModes: 'modes',
};

function changes(before: Plan, after: Plan): string {
  const fields = FIELDS.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  const steps = after.steps.filter(
    (step) => JSON.stringify(step) !== JSON.stringify(before.steps.find(({ key }) => key === step.key)),
  );
  const gone = before.steps.filter(({ key }) => after.steps.every((step) => step.key !== key));
  const parts = [
    ...fields.map((field) => FIELD_NAMES[field] ?? field),
    ...(steps.length > 0 ? [`${plural(steps.length, 'step')} (${steps.map(({ key }) => key).join(', ')})`] : []),
    ...(gone.length > 0 ? [`removed ${gone.map(({ key }) => key).join(', ')}`] : []),
  ];
  return parts.length > 0 ? `it changed ${parts.join(', ')}.` : 'its content equals the revision you started from.';
}
