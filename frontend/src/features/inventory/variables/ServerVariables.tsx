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
  /** Further reason why the member cannot change the variables; null: none. */
  unless: string | null;
}

/** Must not be inside a form, because its dialogs contain forms. */
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
            Exported to all commands on this server. They override variables of the environment. Values set at start
            override both.
          </>
        }
        empty="Use variables for values that differ between servers, such as a node ID or a token."
        afterDelete="New runs use the value of the environment, if it exists."
      />
    </Stack>
  );
}
