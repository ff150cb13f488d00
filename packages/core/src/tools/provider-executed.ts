/** The metadata key that marks a call which the provider runs itself; its value is `true`. */
export const PROVIDER_EXECUTED = "agrx.providerExecuted";
