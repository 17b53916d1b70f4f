import { Stack, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import {
  serverVariablesQuery,
  useDeleteServerVariable,
  usePutServerVariable,
} from '../../../api/queries/inventory/server-variables';
import { listState } from '../../../ui/tables/list-state';
import { VariablesPanel } from '../../../ui/variables/VariablesPanel';

interface Props {
  serverId: string;
  /** Why the member can not change them although the role suffices; null: nothing. */
  unless: string | null;
}

/** The variables of one server. Not to be put into a form: its dialogs are forms of their own. */
export function ServerVariables({ serverId, unless }: Props) {
  return (
    <Stack gap="sm" component="section" aria-labelledby="server-variables" mt="lg">
      <Title order={3} size="h5" id="server-variables">
        Variables
      </Title>
      <VariablesPanel
        variables={listState(useInfiniteQuery(serverVariablesQuery(serverId)))}
        put={usePutServerVariable(serverId)}
        remove={useDeleteServerVariable(serverId)}
        unless={unless}
        about={
          <>
            Exported to every command that runs on this server, before the environment’s values of the same names. A
            value that a start gives goes before them.
          </>
        }
        empty="What differs from server to server, such as a node’s number or its own token, belongs here."
        afterDelete="Runs that start from now on get the environment’s value of that name, if there is one."
      />
    </Stack>
  );
}
