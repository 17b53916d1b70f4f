/**
 * Returns the address of a run's page in the web interface.
 * @param publicUrl address of the installation, without trailing slash
 */
export const runPageUrl = (publicUrl: string, id: string): string => `${publicUrl}/executions/${id}`;
export const schedulePageUrl = (publicUrl: string, id: string): string => `${publicUrl}/schedules/${id}`;
export const schedulesPageUrl = (publicUrl: string): string => `${publicUrl}/schedules`;
export const webhookPageUrl = (publicUrl: string, id: string): string => `${publicUrl}/webhooks/${id}`;
