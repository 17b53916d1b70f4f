import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { planDiffQuery } from '../../../api/queries/plans/plans';
import { executionQuery, latestExecutionsQuery } from '../../../api/queries/runs/executions';
import type { Plan, ResolvedVariable, TargetsPreview } from '../../../api/types';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { AnchorLink } from '../../../ui/page/links';
import type { TypedValue } from '../../../ui/variables/typed-value';
import { startChanges } from './start-changes';

interface Props {
  plan: Plan;
  environmentId: string;
  entered: Record<string, TypedValue>;
  resolved: readonly ResolvedVariable[];
  preview: TargetsPreview | undefined;
}

/** Successes among which the last real run is searched. Dry runs succeed too. */
const SEARCHED = 20;

/** What this start would do differently from the last success of the plan in the environment. */
export function StartChanges({ plan, environmentId, ...next }: Props) {
  const latest = useQuery(latestExecutionsQuery({ planId: plan.id, environmentId, status: ['SUCCEEDED'] }, SEARCHED));
  const last = latest.data?.items.find(({ execution_mode }) => execution_mode !== 'dry_run');
  const { data: success } = useQuery({ ...executionQuery(last?.id ?? ''), enabled: last !== undefined });
  const isChanged = success !== undefined && success.planRevision !== plan.revision;
  const diff = useQuery({
    ...planDiffQuery(plan.id, success?.planRevision ?? 0, plan.revision),
    enabled: isChanged,
  });
  if (latest.data && !last) return <Text c="dimmed">No success of this plan here yet.</Text>;
  if (!success || (isChanged && diff.isLoading)) return <Text c="dimmed">Comparing with the last success…</Text>;
  const lines = startChanges(success, { ...next, plan, diff: diff.data });
  return (
    <>
      <Text c={lines.length === 0 ? undefined : 'dimmed'} component="div">
        {lines.length === 0 && 'Nothing changed. '}
        <AnchorLink to="/executions/$id" params={{ id: success.id }} search={{}} underline="always" inherit>
          Last success
        </AnchorLink>{' '}
        <RelativeTime at={success.finishedAt} />
      </Text>
      {lines.length > 0 && (
        <ul className="rw-list">
          {lines.map((line) => (
            <li key={line} className="rw-wrap-anywhere">
              {line}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
