import type { ComponentType } from 'react';
import type { Server } from '../../../api/types';

export interface ServerTabProps {
  server: Server;
  /** Further reason why the member cannot change the server; null: none. */
  unless: string | null;
  onDiagnose: () => void;
}

export interface ServerTab {
  value: string;
  label: string;
  content: ComponentType<ServerTabProps>;
}
