# tf.function(f, input_signature=input_signature)
import tensorflow as tf

input_signature = [
    tf.TensorSpec(shape=[None, None, 64], dtype=tf.float32, name="hidden_states"),
    tf.TensorSpec(shape=[None, 1, None, None], dtype=tf.bool, name="attention_mask"),
    tf.TensorSpec(shape=[2, None, None, 4, 16], dtype=tf.float32, name="past_key_values"),
    tf.TensorSpec(shape=[None, 0], dtype=tf.float32, name="never_used"),
]
