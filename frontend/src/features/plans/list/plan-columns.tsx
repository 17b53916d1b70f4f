import { Checkbox, Group, Stack, Text } from '@mantine/core';
import { IconGitBranch, IconPlayerPlay } from '@tabler/icons-react';
import { Can } from '../../../access/Can';
import type { PlanSummary } from '../../../api/types';
import { FrozenBadge } from '../../../ui/collections/FrozenBadge';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { AnchorLink } from '../../../ui/page/links';
import { StartLink } from '../../../ui/runs/StartLink';
import type { Column } from '../../../ui/tables/DataTable';
import { LastRuns } from './LastRuns';

interface Options {
  environmentName: (id: string) => string;
  /** Path of a collection; null: not displayed. */
  collectionPath: (plan: PlanSummary) => string | null;
  /** Selected plans; null: no actions on a selection are available. */
  picked: ReadonlySet<string> | null;
  onPick: (id: string) => void;
}

export const planColumns = ({ environmentName, collectionPath, picked, onPick }: Options): Column<PlanSummary>[] => [
  ...(picked ? [pickColumn(picked, onPick)] : []),
  {
    key: 'name',
    title: 'Plan',
    render: (plan) => (
      <Stack gap={0}>
        <Group gap="2px 8px">
          <AnchorLink to="/plans/$id" params={{ id: plan.id }} fw={550}>
            {plan.name}
          </AnchorLink>
          {plan.origin && (
            <Text component="span" c="dimmed" lh={0} title={`From git: ${plan.origin.path}`}>
              <IconGitBranch size={15} role="img" aria-label="From git" />
            </Text>
          )}
          <FrozenBadge freeze={plan.frozenBy} />
        </Group>
        {[collectionPath(plan), plan.description].map(
          (text, index) =>
            text && (
              <Text key={index} size="xs" c="dimmed" lineClamp={1}>
                {text}
              </Text>
            ),
        )}
      </Stack>
    ),
  },
  {
    key: 'environment',
    title: 'Environment',
    from: 'sm',
    inCard: true,
    width: 160,
    render: ({ environmentId }) =>
      environmentId ? environmentName(environmentId) : <Text c="dimmed">Chosen at start</Text>,
  },
  {
    key: 'runs',
    title: 'Latest runs',
    from: 'xs',
    inCard: true,
    width: 165,
    render: (plan) => <LastRuns planId={plan.id} />,
  },
  { key: 'revision', title: 'Revision', from: 'lg', width: 90, render: (plan) => plan.revision },
  { key: 'saved', title: 'Last saved', from: 'lg', width: 120, render: (plan) => <RelativeTime at={plan.updatedAt} /> },
  {
    key: 'run',
    title: '',
    width: 90,
    align: 'right',
    render: (plan) => (
      <Can role="operator">
        <StartLink
          planId={plan.id}
          variant="light"
          aria-label={`Run ${plan.name}`}
          leftSection={<IconPlayerPlay size={14} aria-hidden />}
        >
          Run
        </StartLink>
      </Can>
    ),
  },
];

const pickColumn = (picked: ReadonlySet<string>, onPick: (id: string) => void): Column<PlanSummary> => ({
  key: 'pick',
  title: '',
  from: 'sm',
  width: 40,
  // The plan folder of a git source determines the collection, so such plans cannot be moved.
  render: ({ id, name, origin }) =>
    origin === null && <Checkbox aria-label={`Select ${name}`} checked={picked.has(id)} onChange={() => onPick(id)} />,
});
