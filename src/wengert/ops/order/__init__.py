"""Order: sorting, ranks and quantiles, unique elements, searches, histograms, running extremes."""
