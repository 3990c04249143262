#include "core/queueing.h"

#include <math.h>

/* B(n) = a B(n-1) / (n + a B(n-1)), which never leaves 0 .. 1. */
double queueing_erlang_b(uint32_t servers, double load)
{
	double b = 1;

	for (uint32_t n = 1; n <= servers; n++)
		b = load * b / (n + load * b);
	return b;
}

double queueing_erlang_c(uint32_t servers, double load)
{
	double b = queueing_erlang_b(servers, load);

	if (load >= servers)
		return 1;
	return servers * b / (servers - load * (1 - b));
}

double queueing_mmc_wait(uint32_t servers, double rate, double service_mean)
{
	double load = rate * service_mean;

	if (load >= servers)
		return HUGE_VAL;
	return queueing_erlang_c(servers, load) * service_mean / (servers - load);
}

double queueing_mmc_quantile(uint32_t servers, double rate, double service_mean, double p)
{
	double load = rate * service_mean, waits = queueing_erlang_c(servers, load);

	if (load >= servers)
		return HUGE_VAL;
	if (1 - p >= waits)
		return 0;
	return log(waits / (1 - p)) * service_mean / (servers - load);
}

double queueing_mg1_wait(double rate, double service_mean, double service_variance)
{
	double load = rate * service_mean;

	if (load >= 1)
		return HUGE_VAL;
	return rate * (service_variance + service_mean * service_mean) / (2 * (1 - load));
}

double queueing_ggc_wait(uint32_t servers, double rate, double service_mean, double scv_arrivals,
			 double scv_service)
{
	return queueing_mmc_wait(servers, rate, service_mean) * (scv_arrivals + scv_service) / 2;
}
