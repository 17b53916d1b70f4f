import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { environmentPermissionsQuery, environmentQuery } from '../../../api/queries/inventory/environments';
import type { PermittedPeople } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { Fact } from '../../../ui/page/Fact';
import { namesOf } from '../../../access/permitted-people';
import { OutlineSection } from './OutlineSection';
import classes from './outline.module.css';

/** Who may start and approve runs of a plan, in its environment. */
export function OutlinePeople({ environmentId }: { environmentId: string | null }) {
  return (
    <OutlineSection title="People">
      {environmentId === null ? (
        <Text c="dimmed">Grants of the environment that is chosen at the start decide who may run and approve.</Text>
      ) : (
        <PeopleOf environmentId={environmentId} />
      )}
    </OutlineSection>
  );
}

function PeopleOf({ environmentId }: { environmentId: string }) {
  const environment = useQuery(environmentQuery(environmentId)).data;
  const { data, error } = useQuery(environmentPermissionsQuery(environmentId));
  if (error) return <Text c="dimmed">The grants could not be loaded.</Text>;
  if (!data || !environment) return null;
  return (
    <div className={classes.list}>
      <Fact label="May run">
        <People people={data.run} />
      </Fact>
      {environment.protected ? (
        <Fact label={`May approve (${plural(environment.requiredApprovals, 'approval')} per run)`}>
          <People people={data.approve} />
        </Fact>
      ) : (
        <Fact label="May approve">Not needed: {environment.name} is not protected.</Fact>
      )}
    </div>
  );
}

const People = ({ people }: { people: PermittedPeople }) => (
  <>
    <span className="rw-wrap-anywhere">{namesOf(people) || 'No member'}</span>
    <Text size="xs" c="dimmed">
      {people.rule}
    </Text>
  </>
);
