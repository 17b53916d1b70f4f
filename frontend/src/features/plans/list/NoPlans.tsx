import { IconFolder, IconListCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { EmptyState } from '../../../ui/feedback/EmptyState';
import { ButtonLink } from '../../../ui/page/links';

interface Props {
  /** Whether a search or an environment filters the list. */
  filtered: boolean;
  /** Whether the list is limited to a collection, or to plans without one. */
  within: boolean;
  /** Button that creates a plan. */
  create: ReactNode;
}

export function NoPlans({ filtered, within, create }: Props) {
  if (filtered)
    return (
      <EmptyState
        icon={IconListCheck}
        title="No plans match these filters"
        action={
          <ButtonLink to="/plans" variant="default">
            Show all plans
          </ButtonLink>
        }
      >
        No plan {within ? 'here ' : ''}matches this name and environment.
      </EmptyState>
    );
  if (within)
    return (
      <EmptyState icon={IconFolder} title="No plans here" action={create}>
        Create a plan here, or select plans in the list and move them here.
      </EmptyState>
    );
  return (
    <EmptyState icon={IconListCheck} title="No plans yet" action={create} needsGrant>
      A plan is an ordered list of steps for servers. Create one, then run it here or from a pipeline.
    </EmptyState>
  );
}
