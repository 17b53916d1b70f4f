import { Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconArrowsExchange } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { comparisonQuery } from '../../../api/queries/runs/comparison';
import type { RunComparison } from '../../../api/types';
import { EmptyState } from '../../../ui/feedback/EmptyState';
import { ButtonLink, AnchorLink } from '../../../ui/page/links';
import { PageHeader } from '../../../ui/page/PageHeader';
import { UnloadedPage } from '../../../ui/page/UnloadedPage';
import { UNFINISHED } from '../../../ui/status/statuses';
import { Differences } from '../review/Differences';
import { ComparedHosts } from './ComparedHosts';
import { ComparedOutputs } from './ComparedOutputs';
import { ComparedRuns } from './ComparedRuns';
import { ComparedTable } from './ComparedTable';
import { differenceTexts } from './difference-text';

/** Results of runs in progress change. */
const REFRESH_MS = 5_000;
const route = getRouteApi('/app/executions/$id/compare');

/** Two runs side by side. The URL has both, and the selected step and host. */
export function ComparisonPage() {
  const { id } = route.useParams();
  const { with: withId, step, host, q, part } = route.useSearch();
  const query = useQuery({
    ...comparisonQuery(id, withId),
    refetchInterval: ({ state: { data } }) => (data && isActive(data) ? REFRESH_MS : false),
  });
  if (!query.data || (query.error && !query.isPlaceholderData))
    return <UnloadedPage title="Compare runs" query={query} />;
  const comparison = query.data;
  const { run, comparedTo } = comparison;
  const active = isActive(comparison);
  return (
    <>
      <PageHeader
        title="Compare runs"
        tabTitle={`Compare runs: ${run.planName}`}
        above={
          <AnchorLink to="/executions/$id" params={{ id: run.id }} size="xs">
            {run.planName}, run {run.id.slice(-8)}
          </AnchorLink>
        }
        actions={
          comparedTo && (
            <ButtonLink
              variant="default"
              leftSection={<IconArrowsExchange size={15} aria-hidden />}
              to="/executions/$id/compare"
              params={{ id: comparedTo.id }}
              search={{ with: run.id, step, host, q, part }}
            >
              Swap
            </ButtonLink>
          )
        }
      />
      <Stack gap="lg">
        <ComparedRuns comparison={comparison} />
        {comparedTo === null ? (
          <Paper>
            <EmptyState icon={IconArrowsExchange} title="No earlier success">
              No earlier run of this plan succeeded in {run.environmentName}. Choose another run above.
            </EmptyState>
          </Paper>
        ) : (
          <>
            <Part title="Changes">
              <Changes comparison={comparison} />
            </Part>
            <Part title={`Steps (${comparison.steps.length})`}>
              <ComparedTable
                label="Steps"
                selects="step"
                rows={comparison.steps.map(({ name, ...each }) => ({ ...each, name: name || each.key }))}
              />
            </Part>
            <ComparedHosts comparison={comparison} active={active} />
            <ComparedOutputs comparison={comparison} active={active} />
          </>
        )}
      </Stack>
    </>
  );
}

const isActive = ({ run, comparedTo }: RunComparison): boolean =>
  [run, comparedTo].some((each) => each !== null && UNFINISHED.includes(each.status));

function Changes({ comparison }: { comparison: RunComparison }) {
  const texts = differenceTexts(comparison);
  const names = new Map(comparison.steps.map(({ key, name }) => [key, name || key]));
  if (texts.length === 0) return <Text>Both runs have the same steps, values and hosts.</Text>;
  return (
    <Stack gap="sm">
      <Text>{texts.join(', ')}.</Text>
      <Differences
        items={comparison.differences.map((each) =>
          each.kind === 'step' ? { ...each, name: names.get(each.name) ?? each.name } : each,
        )}
        more={comparison.moreDifferences}
      />
    </Stack>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={2} size="h5" mb={6}>
        {title}
      </Title>
      {children}
    </section>
  );
}
