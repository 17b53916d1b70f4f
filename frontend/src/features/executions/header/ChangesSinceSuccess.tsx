import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { comparisonSummaryQuery } from '../../../api/queries/runs/comparison';
import type { Execution } from '../../../api/types';
import { AnchorLink } from '../../../ui/page/links';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { differenceTexts } from '../compare/difference-text';

/** What differs from the last successful run of the plan in the environment, in one sentence. */
export function ChangesSinceSuccess({ run }: { run: Execution }) {
  const { data } = useQuery(comparisonSummaryQuery(run.id));
  const success = data?.comparedTo;
  if (!data || !success) return null;
  const texts = differenceTexts(data);
  const last = (
    <>
      <AnchorLink to="/executions/$id" params={{ id: success.id }} search={{}} underline="always">
        last success
      </AnchorLink>{' '}
      <Text span c="dimmed" inherit>
        (
        {success.planRevision === run.planRevision
          ? `revision ${success.planRevision}`
          : `revision ${success.planRevision} → ${run.planRevision}`}
        , <RelativeTime at={success.finishedAt} />)
      </Text>
    </>
  );
  return (
    <Text mb="md" component="div" className="rw-wrap-anywhere" role="group" aria-label="Changes since the last success">
      {texts.length === 0 ? (
        <>No changes since the {last}.</>
      ) : (
        <>
          Since the {last}: {texts.join(', ')}.
        </>
      )}{' '}
      <AnchorLink to="/executions/$id/compare" params={{ id: run.id }} search={{}} underline="always">
        Compare
      </AnchorLink>
    </Text>
  );
}
