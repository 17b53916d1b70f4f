import type { Server } from '../../../../api/types';

/** Actions that a row requests from the page. */
export interface RowRequests {
  environmentName: (id: string) => string;
  onReview: (id: string) => void;
  onEdit: (id: string) => void;
  onDelete: (server: Server) => void;
  onDiagnose: (server: Server) => void;
  onCheck: (server: Server) => void;
  /** Ids of servers that are being checked. */
  checkingIds: ReadonlySet<string>;
  /** Why the member cannot use these actions; null: they can. Computed once for all rows. */
  refusal: string | null;
}
