/* queueing.h - waiting times that theory knows (L. Kleinrock, Queueing Systems, volume 1):
 * bounds that narrow a search, and what the simulation is checked against.
 *
 * c servers, offered load a = arrival rate x mean service time; stable if a < c. Rates are
 * per unit of time, whatever unit the service times have. Infinite where it is not stable.
 */
#ifndef CORE_QUEUEING_H
#define CORE_QUEUEING_H

#include <stdint.h>

/* The share of arrivals that M/G/c without a waiting room loses. */
double queueing_erlang_b(uint32_t servers, double load);
/* The share of arrivals that wait in M/M/c. */
double queueing_erlang_c(uint32_t servers, double load);

/* Mean wait of M/M/c. */
double queueing_mmc_wait(uint32_t servers, double rate, double service_mean);
/* The wait that a share p of the arrivals of M/M/c do not exceed; 0 if so many do not wait. */
double queueing_mmc_quantile(uint32_t servers, double rate, double service_mean, double p);
/* Mean wait of M/G/1, Pollaczek and Khinchine. */
double queueing_mg1_wait(double rate, double service_mean, double service_variance);
/* Mean wait of G/G/c after Allen and Cunneen: that of M/M/c by the mean of the squared
 * coefficients of variation of times between arrivals and of service times. Approximate. */
double queueing_ggc_wait(uint32_t servers, double rate, double service_mean, double scv_arrivals,
			 double scv_service);

#endif
