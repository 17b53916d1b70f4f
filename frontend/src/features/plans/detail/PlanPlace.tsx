import { useQuery } from '@tanstack/react-query';
import { collectionsQuery } from '../../../api/queries/plans/collections';
import type { Plan } from '../../../api/types';
import { AnchorLink } from '../../../ui/page/links';

/** Breadcrumb of a plan: all plans, then its collections. */
export function PlanPlace({ plan: { collectionId } }: { plan: Plan }) {
  const { data } = useQuery({ ...collectionsQuery, enabled: collectionId !== null });
  const own = data?.find(({ id }) => id === collectionId);
  return (
    <>
      <AnchorLink to="/plans" size="xs">
        Plans
      </AnchorLink>
      {own &&
        [...own.path, own].map(({ id, name }) => (
          <span key={id}>
            {' › '}
            <AnchorLink to="/plans" search={{ collection: id }} size="xs">
              {name}
            </AnchorLink>
          </span>
        ))}
    </>
  );
}
