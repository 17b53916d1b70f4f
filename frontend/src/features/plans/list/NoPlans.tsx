import { IconFolder, IconListCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { EmptyState } from '../../../ui/feedback/EmptyState';
import { ButtonLink } from '../../../ui/page/links';

interface Props {
  /** A search or an environment narrows the list. */
  filtered: boolean;
  /** Only some plans are shown: those of a collection, or of none. */
  within: boolean;
  /** Creates a plan. */
  create: ReactNode;
}

/** Why no plan is shown, and the next step. */
export function NoPlans({ filtered, within, create }: Props) {
  if (filtered)
    return (
      <EmptyState
        icon={IconListCheck}
        title="No plan fits"
        action={
          <ButtonLink to="/plans" variant="default">
            Show all plans
          </ButtonLink>
        }
      >
        No plan {within ? 'here ' : ''}has this name in this environment.
      </EmptyState>
    );
  if (within)
    return (
      <EmptyState icon={IconFolder} title="No plans here" action={create}>
        Write one here, or move plans here: select them in their list, or choose the collection on their page.
      </EmptyState>
    );
  return (
    <EmptyState icon={IconListCheck} title="No plans yet" action={create}>
      A plan says which commands run on which servers, in which order. Write one, then run it here or from your
      pipeline.
    </EmptyState>
  );
}
